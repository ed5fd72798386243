/** What imports have in common: who decides about sites that are there already, and what is printed. */
import type { Imported } from '../../../hub/exchange/importer.ts';
import { visible, visibleLines } from '../../visible.ts';
import type { Cli, Given } from '../command.ts';
import { Refused, warnOfBehind } from './local-hub.ts';

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

type Importing<T extends Imported> = {
  ask: (dryRun: boolean) => Promise<T>;
  /** As if nothing that is there had to change: what differs is then in the answer. */
  askKeeping: () => Promise<T>;
  /** What to add to a refusal because of what is there. */
  hint: string;
};

/** Prints what differs from what is there, if it is refused because of that. @throws Refused */
export async function importing<T extends Imported>(
  { ask, askKeeping, hint }: Importing<T>,
  given: Given,
  { err, progress }: Cli,
): Promise<T> {
  const dryRun = given.has('dry-run');
  return await progress
    .during(dryRun ? 'checking' : 'importing', ask(dryRun))
    .catch(async (error) => {
      const isConflict = error instanceof Refused && CONFLICTS.includes(error.refusal.code ?? '');
      if (!isConflict) throw error;
      const shown = await askKeeping().catch(() => null);
      if (shown) err(differences(shown));
      throw new Refused({ ...error.refusal, hint });
    });
}

/** Prints what was imported, or would be. @param more what to add to how many sites there are */
export function printImported(imported: Imported, given: Given, cli: Cli, more = ''): void {
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
