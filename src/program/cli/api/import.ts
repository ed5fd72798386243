/** `signalbox import FILE|npm FOLDER`: imports a Caddyfile, or the sites of another program, into the hub on this machine. */

import { dirname, resolve } from 'node:path';
import { filesAt } from '../../../hub/caddyfile/imported-files.ts';
import { inlineImports } from '../../../hub/caddyfile/inline.ts';
import type { Imported } from '../../../hub/exchange/importer.ts';
import { SQLITE_MAGIC } from '../../../shared/sqlite.ts';
import { visible } from '../../visible.ts';
import type { Cli, Command, Given } from '../command.ts';
import { importNpm } from './import-npm.ts';
import { CHOOSE_SITES, importHub, importing, printImported, takenOf } from './importing.ts';
import { answerOf, Refused, readGiven, usingHub } from './local-hub.ts';

const SIDES = ['keep', 'file'];

const CHOOSE = `${CHOOSE_SITES}, and --preamble to decide about options and snippets.`;

export const importFile: Command = {
  name: 'import',
  args: [{ name: 'FILE' }, { name: 'FOLDER', after: 'npm' }],
  options: {
    'dry-run': { summary: 'print the resulting Caddyfile, and change nothing' },
    replay: { summary: 'with --dry-run: ask what it would have done to logged requests' },
    replace: { summary: 'replace these sites if they already exist', takes: 'DOMAIN,…' },
    'replace-all': { summary: 'replace all sites that already exist' },
    'skip-taken': { summary: 'keep sites that already exist' },
    on: {
      summary: 'FILE: import the sites of this agent’s Caddy, for that agent only',
      takes: 'NAME',
    },
    preamble: {
      summary: 'FILE: which side wins where options or snippets differ',
      takes: SIDES.join('|'),
    },
    'with-certificates': { summary: 'npm: also take uploaded certificates, with their keys' },
  },
  summary: 'import a Caddyfile, or the sites of Nginx Proxy Manager',
  help: `signalbox import FILE                  a Caddyfile; - is standard input
signalbox import npm FOLDER            Nginx Proxy Manager: its data folder, the folder above it,
                                       or its database.sqlite

Publishes all sites in one step, all or nothing. Identical sites stay as they are. If a site, an
option or a snippet differs from the hub's, the command prints the differences and imports nothing,
unless you decide with the options below. The hub must be running with the same DATA_DIR. You need
no password, but must be root or the user who runs the hub.

A Caddyfile is sent with the files that it imports, relative to it. Its global options and snippets
are added to those of the hub (the preamble). With --on, that agent gets them as a separate
preamble, and only its Caddy serves the sites.

Of Nginx Proxy Manager, which may be running, nothing is changed: its database is copied. The copy,
with the keys and passwords in it, goes to the hub on this machine and nowhere else, and no key is
stored without --with-certificates. What behaves differently, and which sites are off until you
decide, is printed on standard error. For a Caddyfile that is called npm, write ./npm.
`,
  run: (given, cli) => {
    const run = () => (isNpm(given) ? importNpm(given, cli) : importGiven(given, cli));
    return usingHub({ command: 'import', wrong: whyWrong(given), run }, cli);
  },
};

const isNpm = ({ args: [first] }: Given): boolean => first === 'npm';

/** Null if the words fit together. */
function whyWrong(given: Given): string | null {
  const { has, value } = given;
  const stray = ['on', 'preamble'].find(has);
  if (has('replay') && !has('dry-run')) return '--replay needs --dry-run';
  if (isNpm(given) && stray !== undefined) return `--${stray} is only for a Caddyfile`;
  if (!isNpm(given) && has('with-certificates')) return '--with-certificates is only for npm';
  const side = value('preamble');
  const isTwice = has('replace-all') && has('skip-taken');
  if (!isTwice && (side === undefined || SIDES.includes(side))) return null;
  return '--preamble is keep or file, and --replace-all excludes --skip-taken';
}

/** @throws Refused if it was not imported or, on a dry run, could not be */
async function importGiven(given: Given, cli: Cli): Promise<void> {
  const [file = ''] = given.args;
  const text = await readGiven(file);
  if (text.startsWith(SQLITE_MAGIC)) {
    const message = `${file} is an SQLite database, not a Caddyfile`;
    throw new Refused({
      message,
      hint: `For Nginx Proxy Manager, run: signalbox import npm ${file}`,
    });
  }
  // One text: the hub may be another user's, and reads no files but those of IMPORT_DIRS.
  const folder = file === '-' ? null : dirname(resolve(file));
  const proxyfile = folder === null ? text : await inlineImports(text, filesAt, {}, { folder });
  const { hub, replaying } = importHub(given, cli);
  const ask = async (more: object, query = '') => {
    const body = { proxyfile, ...more };
    return answerOf<Imported>(await hub({ method: 'POST', path: `/import${query}`, body }));
  };
  const chosen = choices(given);
  const imported = await importing(
    {
      ask: (dryRun) => ask({ dryRun, ...chosen }, replaying ? '?replay=true' : ''),
      askKeeping: () => ask({ taken: 'skip', preamble: 'keep', ...chosen, dryRun: true }),
      hint: CHOOSE,
      replaying,
    },
    given,
    cli,
  );
  for (const { line, reason } of imported.skipped) {
    cli.err(`line ${line} skipped: ${visible(reason)}\n`);
  }
  for (const { message } of imported.warnings ?? []) cli.err(`${visible(message)}\n`);
  await printImported(imported, { given, replaying }, cli);
}

/** What the options say about what is there already, and about where the sites are served. */
function choices(given: Given): object {
  const preamble = given.value('preamble');
  const agent = given.value('on');
  return {
    ...takenOf(given),
    ...(preamble === undefined ? {} : { preamble }),
    ...(agent === undefined ? {} : { agent }),
  };
}
