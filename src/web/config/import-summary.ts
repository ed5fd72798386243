/** Summarizes what an import or a restore will change. Pure. */
import { plural } from '../lib/format.ts';
import type { ImportAnswer, Snapshot, SnapshotSite } from '../lib/types.ts';

/** The first lines of a config, and how many more follow. */
export function firstLines(config: string, limit: number): { head: string; more: number } {
  const lines = config.replace(/\s+$/, '').split('\n');
  return { head: lines.slice(0, limit).join('\n'), more: Math.max(0, lines.length - limit) };
}

type Merge = ImportAnswer['merge'];
type Side = 'keep' | 'file';

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
  /** Sentences about the preamble. */
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
      ...(fresh.length > 0 ? [`Added to the preamble: ${names(fresh)}.`] : []),
      ...(replaced.length > 0 ? [`Replaced in the preamble: ${names(replaced)}.`] : []),
      ...(isSame ? ['The preamble stays the same.'] : []),
    ],
    isEmpty: isSame && added + choices.replace.length === 0,
  };
}

type RestoreSummary = {
  added: string[];
  changed: string[];
  same: number;
  removed: string[];
};

/** Compares the sites of a snapshot with the existing ones, by domain. */
export function restoreSummary(wanted: Snapshot, present: Snapshot): RestoreSummary {
  const before = new Map(present.vhosts.map((site) => [site.domain, site]));
  const after = new Set(wanted.vhosts.map(({ domain }) => domain));
  const known = wanted.vhosts.flatMap((site) => {
    const old = before.get(site.domain);
    return old ? [{ domain: site.domain, same: isSame(old, site) }] : [];
  });
  return {
    added: wanted.vhosts.map(({ domain }) => domain).filter((domain) => !before.has(domain)),
    changed: known.filter(({ same }) => !same).map(({ domain }) => domain),
    same: known.filter(({ same }) => same).length,
    removed: [...before.keys()].filter((domain) => !after.has(domain)),
  };
}

const isSame = (a: SnapshotSite, b: SnapshotSite): boolean =>
  a.config === b.config &&
  a.upstream === b.upstream &&
  a.enabled === b.enabled &&
  labelsOf(a) === labelsOf(b);

const labelsOf = ({ policies = [], except = [], tags = [] }: SnapshotSite): string =>
  JSON.stringify([policies, except, tags]);

/** @throws Error with a sentence, if the text is not a snapshot */
export function readSnapshot(text: string): Snapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('This file is not JSON. Choose a snapshot that you downloaded from signalbox.');
  }
  if (!isObject(value) || !Array.isArray(value.vhosts) || typeof value.preamble !== 'string') {
    throw new Error('This file is not a snapshot: it has no preamble or no list of sites.');
  }
  if (value.version !== 1) {
    throw new Error('This snapshot has a version that this hub cannot read.');
  }
  const wrong = value.vhosts.findIndex((site: unknown) => !isSite(site));
  if (wrong >= 0) throw new Error(`Site ${wrong + 1} of this snapshot is incomplete.`);
  return { ...value, version: 1, preamble: value.preamble, vhosts: value.vhosts };
}

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === 'object' && value !== null;

const isSite = (site: unknown): site is SnapshotSite =>
  isObject(site) &&
  typeof site.enabled === 'boolean' &&
  [site.domain, site.config, site.upstream].every((text) => typeof text === 'string');

/** `3 sites (1 off)`. */
export function sitesOf({ vhosts }: Snapshot): string {
  const off = vhosts.filter(({ enabled }) => !enabled).length;
  return `${plural(vhosts.length, 'site')}${off > 0 ? ` (${off} off)` : ''}`;
}
