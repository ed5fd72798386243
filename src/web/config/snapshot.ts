/** Reads a snapshot, and summarizes what its restore will change. Pure. */
import { plural } from '../lib/format.ts';
import type { Snapshot, SnapshotSite } from '../lib/types.ts';

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
