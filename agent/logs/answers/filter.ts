/** What the filters of a URL mean, and tests of entries against them. */
import type { LogQuery } from '../../../src/shared/wire/logs.ts';
import { type Block, blocksBetween } from '../index/block.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { IndexView } from '../index/segment-index.ts';
import { addressHash, canonicalIp } from '../line/address.ts';
import type { EntryCursor } from '../line/classifier.ts';
import { type EntryFacts, type Hosts, hostsIn } from '../line/entry.ts';
import { parseTime } from '../line/time-values.ts';
import type { Match } from './block-reader.ts';
import { classOf } from './buckets.ts';

/** What an entry has to match; absent conditions match every entry. */
export type Conditions = {
  /** One or several hosts, see `hostsIn`. */
  domain?: string;
  status?: number;
  /** 1 to 5 for 1xx to 5xx. */
  statusClass?: number;
  /** In upper case. */
  method?: string;
  /** What the path starts with. */
  path?: string;
  /** What the path contains. */
  q?: string;
  /** As `canonicalIp` makes it. */
  ip?: string;
  /** What the user agent contains, in lower case. */
  userAgent?: string;
  /** In [from, to), in milliseconds since 1970. An entry without a time is in no range. */
  from?: number;
  to?: number;
};

/** Asks for a page of the matching entries; `page` counts from 1. `details`: with all that Caddy wrote. */
export type LogFilter = Conditions & { page: number; pageSize: number; details?: boolean };

const DEFAULT_PAGE_SIZE = 50;

/** Reads the parameters of a URL that match the schema; an empty one counts as absent. */
export function parseLogQuery(query: LogQuery): LogFilter {
  return {
    ...parseConditions(query),
    page: Number(query.page || 1),
    pageSize: Number(query.pageSize || DEFAULT_PAGE_SIZE),
    ...(query.details && { details: true }),
  };
}

/** As `parseLogQuery`, without paging. */
export function parseConditions(
  query: Omit<LogQuery, 'page' | 'pageSize' | 'details'>,
): Conditions {
  const { domain, status, method, path, q, ip, userAgent, from, to } = query;
  return {
    ...(domain && { domain }),
    ...(status &&
      (/x/i.test(status) ? { statusClass: Number(status[0]) } : { status: Number(status) })),
    ...(method && { method: method.toUpperCase() }),
    ...(path && { path }),
    ...(q && { q }),
    ...(ip && { ip: canonicalIp(ip) }),
    ...(userAgent && { userAgent: userAgent.toLowerCase() }),
    ...(from && { from: isoTime(from) }),
    ...(to && { to: isoTime(to) }),
  };
}

// Matches the schema, and is completed to a form that log lines have too.
function isoTime(text: string): number {
  const [, date, clock = 'T00:00', seconds = ':00', rest = ''] =
    /^([^T]+)(T\d\d:\d\d)?(:\d\d)?(.*)$/.exec(text.replace(' ', '+')) ?? [];
  return parseTime(`${date}${clock}${seconds}${rest}`) ?? Number.NaN;
}

/** The conditions on the host; undefined if there are none. */
export const hostsOf = ({ domain }: Conditions): Hosts | undefined =>
  domain === undefined ? undefined : hostsIn(domain);

/** The conditions on the status; undefined if there are none. */
function statusTest({
  status,
  statusClass,
}: Conditions): ((status: number) => boolean) | undefined {
  if (status !== undefined) return (value) => value === status;
  if (statusClass !== undefined) return (value) => classOf(value) === statusClass;
  return undefined;
}

type RequestTest = (entry: Pick<EntryCursor, 'request' | 'userAgent'>) => boolean;

/** The conditions that no index holds: on method, path, address and user agent; undefined if there are none. */
export function requestTest({
  method,
  path,
  q,
  ip,
  userAgent,
}: Conditions): RequestTest | undefined {
  const hasAgent = (entry: Parameters<RequestTest>[0]) =>
    userAgent === undefined || entry.userAgent().toLowerCase().includes(userAgent);
  if ((method ?? path ?? q ?? ip) === undefined)
    return userAgent === undefined ? undefined : hasAgent;
  return (entry) => {
    const request = entry.request();
    return (
      (path === undefined || request.path.startsWith(path)) &&
      (q === undefined || request.path.includes(q)) &&
      (method === undefined || request.method.toUpperCase() === method) &&
      (ip === undefined || request.ip === ip || canonicalIp(request.ip) === ip) &&
      hasAgent(entry)
    );
  };
}

/** The conditions on the time; undefined if there are none. */
export function timeTest({ from, to }: Conditions): ((time: number) => boolean) | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [first, end] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
  // False for NaN.
  return (time) => time >= first && time < end;
}

/** All conditions, for an entry that was read with JSON.parse. */
export function factsTest(conditions: Conditions): (facts: EntryFacts) => boolean {
  const hosts = hostsOf(conditions);
  const [status, request, time] = [
    statusTest(conditions),
    requestTest(conditions),
    timeTest(conditions),
  ];
  return (facts) =>
    (!hosts || hosts.has(facts.key)) &&
    (!status || status(facts.status)) &&
    (!time || time(facts.time)) &&
    (!request || request({ request: () => facts, userAgent: () => facts.userAgent }));
}

export type Selection = {
  /** What the index selects: by domain and status only, maybe without checks. */
  view: IndexView;
  /** Whether an entry of these blocks matches all conditions. */
  match: Match;
  /** The blocks that may have matches, newest first. */
  candidates(): Block[];
};

/** What a filter selects in one segment. @param visitors without checks */
export function selectIn(
  { index }: IndexedSegment,
  conditions: Conditions,
  visitors = false,
): Selection {
  const hosts = hostsOf(conditions);
  const view = index.view({ hosts, status: statusTest(conditions), visitors });
  const request = requestTest(conditions);
  const time = timeTest(conditions);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = conditions;
  const { wanted, certain } = view.selection;
  return {
    view,
    match: (entry) =>
      wanted[entry.pair] === 1 &&
      (!time || time(entry.time)) &&
      (!request || request(entry)) &&
      (certain || !hosts || hosts.has(entry.facts()?.key ?? '')),
    candidates() {
      const blocks = time ? blocksBetween(view.blocks(), from, to) : [...view.blocks()];
      if (conditions.ip === undefined) return blocks;
      const hash = addressHash(conditions.ip);
      return blocks.filter((block) => index.mayHave(block, hash));
    },
  };
}
