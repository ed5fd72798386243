/** Who came to each site of a log: how many from home, and from outside, and how many were let in. */
import { hasAll, type Snapshot } from '../index/log-index.ts';
import type { EntryCursor } from '../line/classifier.ts';
import { hostKey } from '../line/entry.ts';
import { isHomeAddress } from './home.ts';
import { rangeOf } from './stats.ts';
import { type VisitedPair, type VisitorTools, walkVisitors } from './visitors.ts';

/** Visitors by address; each is counted in one of `home`, `outside` and `refused`. */
type SiteVisits = {
  /** Those from home who were let in at least once, and whom no unknown proxy forwarded. */
  home: number;
  /** The same of all other addresses. */
  outside: number;
  /** Those who got nothing but refusals. */
  refused: number;
  /** Those of whom Caddy knew the name. */
  named: number;
  /** Those from outside who got a 2xx response. */
  served: number;
  /** When somebody was last let in, in milliseconds since 1970; null: never. */
  last: number | null;
};

export type LogVisits = {
  /** In the order of the filter. */
  sites: SiteVisits[];
  /** For each name that was asked for, the paths asked for most by some thousand requests, without a query. */
  hosts: { host: string; paths: string[] }[];
  /** The first entry of the whole log, in milliseconds since 1970; null: it is empty. */
  since: number | null;
  /** Whether all of the time was read, and all visitors were counted. */
  complete: boolean;
};

/**
 * `sites`: the names of each; a first label `*` stands for any one, and an empty name for hosts without another one.
 * `from`: in milliseconds since 1970.
 */
export type VisitsFilter = { sites: readonly (readonly string[])[]; from: number };

/** By the statuses with which Caddy and sign-in services send somebody away; 0: the connection was cut. */
const REFUSALS: ReadonlySet<number> = new Set([0, 401, 403, 407, 421]);
const MOST_PATHS = 10;
/** The most addresses and paths that are kept of a name, because strangers choose paths and may have many addresses. */
const MOST_VISITORS = 20_000;
const PATHS_KEPT = 2_000;
const LONGEST_PATH = 300;
/** Bytes of the paths of all names together, as JSON: the hub reads 16 MiB of an answer. */
const MOST_PATH_BYTES = 8 * 1024 * 1024;
/** Requests of a name whose paths are counted: enough to know the usual ones. */
const MOST_PATHS_READ = 2_000;
/** How a line has the name of a user, and has none; what visitors send has its quotation marks escaped. */
const [NAME, NO_NAME] = [Buffer.from('"user_id":"'), Buffer.from('"user_id":""')];
/** How it says that a proxy forwarded it, and whose address Caddy took for the visitor's. */
const FORWARDED_FOR = Buffer.from('"X-Forwarded-For":[');
const TRUSTED = /"remote_ip":"([^"]*)","remote_port":"[^"]*","client_ip":"(?!\1")/;

/** `FROM_UNKNOWN`: a proxy forwarded them that was not trusted then, so they may have been anywhere. */
const [LET_IN, SERVED, NAMED, FROM_UNKNOWN] = [1, 2, 4, 8];

type Host = {
  visitors: Map<string, number>;
  paths: Map<string, number>;
  pathsRead: number;
  last: number | null;
};

/**
 * Of requests of visitors since a time, the newest blocks first.
 * @throws SegmentGone, and the reason of the signal
 */
export async function readVisits(
  snapshot: Snapshot,
  { sites, from }: VisitsFilter,
  tools: VisitorTools,
): Promise<LogVisits> {
  const hosts = new Map<string, Host>();
  const nameOf = namerOf(sites.flat());
  let isComplete = hasAll(snapshot, from);

  function hostOf(name: string): Host {
    const known = hosts.get(name);
    if (known) return known;
    const host = { visitors: new Map(), paths: new Map(), pathsRead: 0, last: null };
    hosts.set(name, host);
    return host;
  }

  function add(entry: EntryCursor, { domain, status }: VisitedPair): void {
    const name = nameOf(domain ?? entry.facts()?.key ?? '');
    if (name === undefined) return;
    const host = hostOf(name);
    const ip = entry.ip();
    const known = host.visitors.get(ip);
    if (known !== undefined || host.visitors.size < MOST_VISITORS) {
      const flags = flagsOf(known ?? 0, status, entry);
      if (flags !== known) host.visitors.set(ip, flags);
    } else isComplete = false;
    if (!REFUSALS.has(status)) host.last = Math.max(host.last ?? 0, entry.time);
    if (host.pathsRead === MOST_PATHS_READ) return;
    host.pathsRead++;
    const { path } = entry.request();
    const count = host.paths.get(path) ?? 0;
    const isKept = count > 0 || (host.paths.size < PATHS_KEPT && path.length <= LONGEST_PATH);
    if (isKept) host.paths.set(path, count + 1);
  }

  const isRead = await walkVisitors(snapshot, { from }, tools, add);
  const { from: since } = rangeOf(snapshot.segments, {});
  let room = MOST_PATH_BYTES;
  const fits = (path: string): boolean => {
    room -= Buffer.byteLength(JSON.stringify(path));
    return room >= 0;
  };
  return {
    sites: sites.map((names) => figures(names.flatMap((name) => hosts.get(name) ?? []))),
    hosts: [...hosts].map(([host, found]) => ({ host, paths: usualOf(found).filter(fits) })),
    since: snapshot.segments.length === 0 || since === 0 ? null : since,
    complete: isRead && isComplete,
  };
}

/** Finds the name that a host belongs to, so that hosts which strangers invent under one name are one site. */
function namerOf(names: readonly string[]): (host: string) => string | undefined {
  const byKey = new Map(names.map((name) => [hostKey(name), name]));
  return (host) => byKey.get(host) ?? byKey.get(host.replace(/^[^.]*/, '*')) ?? byKey.get('');
}

/** @param known of the same visitor before: what is set is not looked for again */
function flagsOf(known: number, status: number, entry: EntryCursor): number {
  if (REFUSALS.has(status)) return known;
  const isServed = status >= 200 && status < 300;
  let flags = known | LET_IN | (isServed ? SERVED : 0);
  if (isServed && (known & NAMED) === 0 && !entry.has(NO_NAME) && entry.has(NAME)) flags |= NAMED;
  const isNew = (known & FROM_UNKNOWN) === 0;
  if (isNew && entry.has(FORWARDED_FOR) && !TRUSTED.test(entry.line())) flags |= FROM_UNKNOWN;
  return flags;
}

/** The paths that were asked for most, the first one most. */
const usualOf = ({ paths }: Host): string[] =>
  [...paths]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_PATHS)
    .map(([path]) => path);

/** Of all names of a site: who uses several of them counts once. */
function figures(hosts: readonly Host[]): SiteVisits {
  const visitors = new Map<string, number>();
  for (const host of hosts) {
    for (const [ip, flags] of host.visitors) visitors.set(ip, (visitors.get(ip) ?? 0) | flags);
  }
  const all = [...visitors].map(([ip, flags]) => ({
    isHome: isHomeAddress(ip) && (flags & FROM_UNKNOWN) === 0,
    flags,
  }));
  const count = (flag: number, isHome?: boolean) =>
    all.filter((one) => (one.flags & flag) !== 0 && (isHome ?? one.isHome) === one.isHome).length;
  const letIn = count(LET_IN);
  const times = hosts.flatMap(({ last }) => last ?? []);
  return {
    home: count(LET_IN, true),
    outside: count(LET_IN, false),
    refused: all.length - letIn,
    named: count(NAMED),
    served: count(SERVED, false),
    last: times.length === 0 ? null : Math.max(...times),
  };
}
