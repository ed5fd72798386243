/** What imports have in common: who decides about sites that are there already, and what is printed. */
import {
  type AskHub,
  answerOf,
  type LocalRequest,
  openLocalHub,
  Refused,
  warnOf,
} from '../../../program/cli/api/local-hub.ts';
import { askedOf, type PlanQuestion } from '../../../program/cli/api/plan-question.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible, visibleLines } from '../../../shared/visible.ts';
import type { Imported } from '../importer.ts';

/** What to do about what is there already, and where the sites are served. */
type Choices = {
  taken?: 'skip' | 'replace';
  replace?: readonly string[];
  preamble?: string;
  agent?: string;
};

/** Refusals that say that the file differs from what is there. */
const CONFLICTS = ['DOMAIN_TAKEN', 'PREAMBLE_DIFFERS'];

/** How to decide about sites. */
export const CHOOSE_SITES = 'Use --replace, --replace-all or --skip-taken to decide about sites';

/** What the options say about what is there already, and about where the sites are served. */
export function choicesOf({ has, value }: Given): Choices {
  const [replace, preamble, agent] = [value('replace'), value('preamble'), value('on')];
  return {
    ...(has('replace-all') && { taken: 'replace' }),
    ...(has('skip-taken') && { taken: 'skip' }),
    ...(replace !== undefined && { replace: replace.split(',') }),
    ...(preamble !== undefined && { preamble }),
    ...(agent !== undefined && { agent }),
  };
}

export type ImportKind<T extends Imported> = {
  /** What asks the hub for it. @param query more parameters of the route */
  request: (how: Choices & { dryRun: boolean }, query: Record<string, string>) => LocalRequest;
  chosen: Choices;
  /** What to add to a refusal because of what is there. */
  hint: string;
  /** What there is to say of it, before how many sites there are. */
  notesOf: (imported: T) => string;
  /** What to add to how many sites there are. */
  moreOf?: (imported: T) => string;
};

/**
 * Imports, and prints what was imported, or would be, and what was asked of it. If it is refused because of what is
 * there, prints what differs from that.
 * @param questions that a dry run can be asked
 * @throws Refused
 */
export async function runImport<T extends Imported>(
  { request, chosen, hint, notesOf, moreOf }: ImportKind<T>,
  { given, questions }: { given: Given; questions: readonly PlanQuestion[] },
  cli: Cli,
): Promise<void> {
  const { err, progress } = cli;
  const dryRun = given.has('dry-run');
  const local: AskHub = (one) => openLocalHub(cli.env, one);
  const question = askedOf(questions, given);
  const asking = question?.begin(local, cli);
  const ask = async (how: Choices & { dryRun: boolean }, query = {}) =>
    answerOf<T>(await (asking?.ask ?? local)(request(how, query)));
  const sent = ask({ ...chosen, dryRun }, question ? { [question.name]: 'true' } : {});
  const imported = await progress
    .during(dryRun ? 'checking' : 'importing', asking?.started(sent) ?? sent)
    .catch(async (error) => {
      const isConflict = error instanceof Refused && CONFLICTS.includes(error.refusal.code ?? '');
      if (!isConflict) throw error;
      // As if nothing that is there had to change: what differs is then in the answer.
      const keeping = { taken: 'skip', preamble: 'keep', ...chosen, dryRun: true } as const;
      const shown = await ask(keeping).catch(() => null);
      if (shown) err(differences(shown));
      throw new Refused({ ...error.refusal, hint });
    });
  err(notesOf(imported));
  printImported(imported, dryRun, moreOf?.(imported) ?? '', cli);
  await asking?.print('import', imported, err, cli);
}

function printImported(imported: Imported, dryRun: boolean, more: string, cli: Cli): void {
  const { out, err, host } = cli;
  const { vhosts, proxyfile, merge } = imported;
  err(outcomes(imported));
  const same = merge.sites.filter(({ action }) => action === 'keep').length;
  const count = vhosts.length - same;
  const sites = `${count} ${count === 1 ? 'site' : 'sites'}`;
  const others = same > 0 ? `, ${same} the same as before` : '';
  err(`${sites} ${dryRun ? 'would be imported' : 'imported'}${others}${more}\n`);
  warnOf(imported, cli);
  if (dryRun) out(host.writesToTerminal ? visibleLines(proxyfile) : proxyfile);
  else out(vhosts.map(({ id, domain }) => `${id}\t${visible(domain)}\n`).join(''));
}

/** What differs from what is there, as diffs. */
function differences({ merge }: Imported): string {
  const sites = merge.sites
    .filter(({ action }) => action === 'skip')
    .map(({ domain, vhosts, diff }) => {
      const off = vhosts.some(({ enabled }) => !enabled) ? ', but is off' : '';
      const how = diff === '' ? '.\n' : `:\n${visibleLines(diff)}`;
      return `${visible(domain)} already exists${off}${how}`;
    });
  const parts = merge.preamble
    .filter(({ state }) => state === 'differs')
    .map(({ name, diff }) => `${visible(name)} differs:\n${visibleLines(diff)}`);
  return [...parts, ...sites].join('');
}

const WORDS = { create: null, keep: null, skip: 'skipped', replace: 'replaced' };

/** What of the preamble changes, and a line for each site that is skipped or replaced. */
function outcomes({ merge }: Imported): string {
  const changed = merge.preamble.filter(
    ({ state, side }) => side === 'file' && (state === 'new' || state === 'differs'),
  );
  const names = changed.map(({ name }) => visible(name)).join(', ');
  const sites = merge.sites.flatMap(({ domain, action }) =>
    WORDS[action] === null ? [] : `${visible(domain)}: ${WORDS[action]}\n`,
  );
  return `${names && `Preamble changed: ${names}\n`}${sites.join('')}`;
}
