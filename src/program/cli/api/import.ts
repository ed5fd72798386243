/** `signalbox import FILE`: imports a Caddyfile into the hub running on this machine. */
import type { Imported } from '../../../hub/exchange/importer.ts';
import { visible, visibleLines } from '../../visible.ts';
import type { Cli, Command, Given } from '../command.ts';
import { askLocalHub, Refused, readGiven, usingHub, warnOfBehind } from './local-hub.ts';

const SIDES = ['keep', 'file'];

/** Refusals that say that the file differs from what is there. */
const CONFLICTS = ['DOMAIN_TAKEN', 'PREAMBLE_DIFFERS'];

const CHOOSE =
  'Use --replace, --replace-all or --skip-taken to decide about sites, and --preamble to decide about options and snippets.';

export const importFile: Command = {
  name: 'import',
  args: [{ name: 'FILE' }],
  options: {
    'dry-run': { summary: 'print the resulting Caddyfile, and change nothing' },
    replace: { summary: 'replace these sites if they already exist', takes: 'DOMAIN,…' },
    'replace-all': { summary: 'replace all sites that already exist' },
    'skip-taken': { summary: 'keep sites that already exist' },
    on: { summary: 'import the sites of this agent’s Caddy, for that agent only', takes: 'NAME' },
    preamble: {
      summary: 'which side wins where options or snippets differ',
      takes: SIDES.join('|'),
    },
  },
  summary: 'import a Caddyfile into the hub on this machine',
  help: `FILE may be - for standard input. Publishes all its sites in one step, all or nothing. Identical
sites stay as they are; global options and snippets are added to those of the hub (the preamble). If
a site, an option or a snippet differs, the command prints the differences and imports nothing,
unless you decide with the options below. With --on, that agent gets the options and snippets as a
separate preamble, and only its Caddy serves the sites. The hub must be running with the same
DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub(
      { command: 'import', wrong: whyWrong(given), run: () => importGiven(given, cli) },
      cli,
    ),
};

/** Null if the words fit together. */
function whyWrong({ has, value }: Given): string | null {
  const side = value('preamble');
  const isTwice = has('replace-all') && has('skip-taken');
  if (!isTwice && (side === undefined || SIDES.includes(side))) return null;
  return '--preamble is keep or file, and --replace-all excludes --skip-taken';
}

/** @throws Refused if it was not imported or, on a dry run, could not be */
async function importGiven(given: Given, cli: Cli): Promise<void> {
  const { env, out, err, progress, host } = cli;
  const proxyfile = await readGiven(given.args[0] ?? '');
  const dryRun = given.has('dry-run');
  const request = { proxyfile, dryRun, ...choices(given) };
  const ask = async (more: object = {}) =>
    (
      await askLocalHub<Imported>(env, {
        method: 'POST',
        path: '/import',
        body: { ...request, ...more },
      })
    ).body;
  const imported = await progress
    .during(dryRun ? 'checking' : 'importing', ask())
    .catch(async (error) => {
      const isConflict = error instanceof Refused && CONFLICTS.includes(error.refusal.code ?? '');
      if (!isConflict) throw error;
      const all = { taken: 'skip', preamble: 'keep', ...choices(given), dryRun: true };
      const shown = await ask(all).catch(() => null);
      if (shown) err(differences(shown));
      throw new Refused({ ...error.refusal, hint: CHOOSE });
    });
  const { vhosts, skipped, proxyfile: text, behind } = imported;
  for (const { line, reason } of skipped) err(`line ${line} skipped: ${visible(reason)}\n`);
  err(outcomes(imported));
  const sites = `${vhosts.length} ${vhosts.length === 1 ? 'site' : 'sites'}`;
  err(`${sites} ${dryRun ? 'would be imported' : 'imported'}\n`);
  if (behind) warnOfBehind(behind, cli);
  if (dryRun) out(host.writesToTerminal ? visibleLines(text) : text);
  else out(vhosts.map(({ id, domain }) => `${id}\t${visible(domain)}\n`).join(''));
}

/** What the options say about what is there already, and about where the sites are served. */
function choices({ has, value }: Given): object {
  const replace = value('replace')?.split(',');
  const preamble = value('preamble');
  const agent = value('on');
  return {
    ...(has('replace-all') ? { taken: 'replace' } : {}),
    ...(has('skip-taken') ? { taken: 'skip' } : {}),
    ...(replace === undefined ? {} : { replace }),
    ...(preamble === undefined ? {} : { preamble }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** What differs from what is there, as diffs. */
function differences({ merge }: Imported): string {
  const sites = merge.sites
    .filter(({ action }) => action === 'skip')
    .map(({ domain, vhosts, diff }) => {
      const off = vhosts.some(({ enabled }) => !enabled) ? ' and is off' : '';
      return `${visible(domain)} already exists${off}:\n${visibleLines(diff)}`;
    });
  const parts = merge.preamble
    .filter(({ state }) => state === 'differs')
    .map(({ name, diff }) => `${visible(name)} differs:\n${visibleLines(diff)}`);
  return [...parts, ...sites].join('');
}

const WORDS = { create: '', keep: 'the same as before', skip: 'skipped', replace: 'replaced' };

/** A line for each site that was there already. */
const outcomes = ({ merge }: Imported): string =>
  merge.sites
    .filter(({ action }) => action !== 'create')
    .map(({ domain, action }) => `${visible(domain)}: ${WORDS[action]}\n`)
    .join('');
