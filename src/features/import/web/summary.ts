/** Summarizes what an import will change. Pure. */
import type { ImportAnswer } from '../schemas.ts';

type Merge = ImportAnswer['merge'];
export type Side = 'keep' | 'file';

/** What an import would have to replace, according to a dry run that skips and keeps everything. */
export type Conflicts = { parts: Merge['preamble']; sites: Merge['sites'] };

export const conflictsOf = ({ preamble, sites }: Merge): Conflicts => ({
  parts: preamble.filter(({ state }) => state === 'differs'),
  sites: sites.filter(({ action }) => action === 'skip'),
});

/** What the user wants replaced: options and snippets by name, and the domains of sites. */
export type Choices = { sides: Record<string, Side>; replace: readonly string[] };

/** @param isUsed whether the hub has sites: if it has none, the file's options are used */
export const firstChoices = ({ parts }: Conflicts, isUsed: boolean): Choices => ({
  sides: Object.fromEntries(parts.map(({ name }) => [name, isUsed ? 'keep' : 'file'])),
  replace: [],
});

type ImportSummary = {
  /** How many sites of the file are added, and how many are there already. */
  added: number;
  same: number;
  replaced: number;
  /** Sentences about the Caddy options. */
  preamble: string[];
  isEmpty: boolean;
};

export function importSummary({ preamble, sites }: Merge, choices: Choices): ImportSummary {
  const names = (found: Merge['preamble']) => found.map(({ name }) => name).join(', ');
  const fresh = preamble.filter(({ state }) => state === 'new');
  const replaced = preamble.filter(
    ({ name, state }) => state === 'differs' && choices.sides[name] === 'file',
  );
  const added = sites.filter(({ action }) => action === 'create').length;
  const isSame = fresh.length + replaced.length === 0;
  return {
    added,
    same: sites.filter(({ action }) => action === 'keep').length,
    replaced: choices.replace.length,
    preamble: [
      ...(fresh.length > 0 ? [`Added to the Caddy options: ${names(fresh)}.`] : []),
      ...(replaced.length > 0 ? [`Replaced in the Caddy options: ${names(replaced)}.`] : []),
      ...(isSame ? ['The Caddy options stay the same.'] : []),
    ],
    isEmpty: isSame && added + choices.replace.length === 0,
  };
}
