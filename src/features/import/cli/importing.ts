/** What imports have in common: who decides about sites that are there already, and what is printed. */
import {
  type AskHub,
  openLocalHub,
  Refused,
  warnOfBehind,
} from '../../../program/cli/api/local-hub.ts';
import { type Asking, askedOf, type PlanQuestion } from '../../../program/cli/api/plan-question.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible, visibleLines } from '../../../program/visible.ts';
import type { Imported } from '../importer.ts';

/** What to do about sites that are there already. */
export type Taken = { taken?: 'skip' | 'replace'; replace?: readonly string[] };

/** Refusals that say that the file differs from what is there. */
const CONFLICTS = ['DOMAIN_TAKEN', 'PREAMBLE_DIFFERS'];

/** How to decide about sites. */
export const CHOOSE_SITES = 'Use --replace, --replace-all or --skip-taken to decide about sites';

/** What the options say about sites that are there already. */
export function takenOf({ has, value }: Given): Taken {
  const replace = value('replace')?.split(',');
  return {
    ...(has('replace-all') ? { taken: 'replace' } : {}),
    ...(has('skip-taken') ? { taken: 'skip' } : {}),
    ...(replace === undefined ? {} : { replace }),
  };
}

/** The hub on this machine, and what it is asked of a dry run. */
export function importHub(given: Given, cli: Cli, questions: readonly PlanQuestion[]) {
  const local: AskHub = (request) => openLocalHub(cli.env, request);
  const question = askedOf(questions, given);
  const asking = question?.begin(local, cli) ?? null;
  const asked = question ? { [question.name]: 'true' } : {};
  return { hub: asking?.ask ?? local, asking, asked };
}

type Importing<T extends Imported> = {
  ask: (dryRun: boolean) => Promise<T>;
  /** As if nothing that is there had to change: what differs is then in the answer. */
  askKeeping: () => Promise<T>;
  /** What to add to a refusal because of what is there. */
  hint: string;
  asking: Asking | null;
};

/** Prints what differs from what is there, if it is refused because of that. @throws Refused */
export async function importing<T extends Imported>(
  { ask, askKeeping, hint, asking }: Importing<T>,
  given: Given,
  { err, progress }: Cli,
): Promise<T> {
  const dryRun = given.has('dry-run');
  const sent = ask(dryRun);
  return await progress
    .during(dryRun ? 'checking' : 'importing', asking?.started(sent) ?? sent)
    .catch(async (error) => {
      const isConflict = error instanceof Refused && CONFLICTS.includes(error.refusal.code ?? '');
      if (!isConflict) throw error;
      const shown = await askKeeping().catch(() => null);
      if (shown) err(differences(shown));
      throw new Refused({ ...error.refusal, hint });
    });
}

/**
 * Prints what was imported, or would be, and what was asked of it.
 * @param more what to add to how many sites there are
 * @throws Refused if a signal ended that
 */
export async function printImported(
  imported: Imported,
  { given, asking, more = '' }: { given: Given; asking: Asking | null; more?: string },
  cli: Cli,
): Promise<void> {
  const { out, err, host } = cli;
  const { vhosts, proxyfile, behind, merge } = imported;
  err(outcomes(imported));
  const same = merge.sites.filter(({ action }) => action === 'keep').length;
  const count = vhosts.length - same;
  const sites = `${count} ${count === 1 ? 'site' : 'sites'}`;
  const dryRun = given.has('dry-run');
  const others = same > 0 ? `, ${same} the same as before` : '';
  err(`${sites} ${dryRun ? 'would be imported' : 'imported'}${others}${more}\n`);
  if (behind) warnOfBehind(behind, cli);
  if (dryRun) out(host.writesToTerminal ? visibleLines(proxyfile) : proxyfile);
  else out(vhosts.map(({ id, domain }) => `${id}\t${visible(domain)}\n`).join(''));
  await asking?.print('import', imported, err, cli);
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
