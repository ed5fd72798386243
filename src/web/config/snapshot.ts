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
  const before = new Map(present.vhosts.map((site) => [site.domain, textOf(site)]));
  const after = new Map(wanted.vhosts.map((site) => [site.domain, textOf(site)]));
  const stay = [...after.keys()].filter((domain) => before.has(domain));
  const changed = stay.filter((domain) => before.get(domain) !== after.get(domain));
  return {
    added: [...after.keys()].filter((domain) => !before.has(domain)),
    changed,
    same: stay.length - changed.length,
    removed: [...before.keys()].filter((domain) => !after.has(domain)),
  };
}

/** All that a snapshot says of a site; an older one says less. */
const textOf = ({ policies = [], except = [], tags = [], agents = [], ...site }: SnapshotSite) => {
  const { config, upstream, enabled, check = null, source = null } = site;
  return JSON.stringify([config, upstream, enabled, policies, except, tags, agents, check, source]);
};

/** @throws Error with a sentence, if the text is not a snapshot */
export function readSnapshot(text: string): Snapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('This file is not JSON. Choose a snapshot that you downloaded from signalbox.');
  }
  if (!isObject(value) || !Array.isArray(value.vhosts) || typeof value.preamble !== 'string') {
    throw new Error('This file is not a snapshot: it has no Caddy options or no list of sites.');
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
