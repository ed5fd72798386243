import type { LogQuery } from '../../../src/shared/wire.ts';
import type { EntryFacts } from '../index/entry.ts';
import { hostKey } from '../index/host.ts';

/** What an entry has to be; what is absent matches everything. */
export type Conditions = {
  domain?: string;
  status?: number;
  /** 1 to 5 for 1xx to 5xx. */
  statusClass?: number;
  /** In upper case. */
  method?: string;
  /** What the path begins with. */
  path?: string;
  /** What the path contains. */
  q?: string;
  /** As `canonicalIp` gives it. */
  ip?: string;
  /** Milliseconds since 1970, inclusive. An entry without a time is in no range. */
  from?: number;
  /** Exclusive. */
  to?: number;
};

/** A page of the entries that match; `page` counts from 1. */
export type LogFilter = Conditions & { page: number; pageSize: number };

const DEFAULT_PAGE_SIZE = 50;

/** Reads the filters of a URL, which already match the schema; an empty value is an absent one. */
export function parseLogQuery(query: LogQuery): LogFilter {
  return {
    ...parseConditions(query),
    page: Number(query.page || 1),
    pageSize: Number(query.pageSize || DEFAULT_PAGE_SIZE),
  };
}

export function parseConditions(query: Omit<LogQuery, 'page' | 'pageSize'>): Conditions {
  const { domain, status, method, path, q, ip, from, to } = query;
  return {
    ...(domain && { domain }),
    ...(status &&
      (/x/i.test(status) ? { statusClass: Number(status[0]) } : { status: Number(status) })),
    ...(method && { method: method.toUpperCase() }),
    ...(path && { path }),
    ...(q && { q }),
    ...(ip && { ip: canonicalIp(ip) }),
    ...(from && { from: isoTime(from) }),
    ...(to && { to: isoTime(to) }),
  };
}

// Of the form that the schema asks for. Fractions of a millisecond are cut, as those of entries.
function isoTime(text: string): number {
  const [, date = '', clock = '00:00', zone = 'Z'] =
    /^([^T]+)(?:T([\d:.,]+)(.*))?$/.exec(text.replace(' ', '+')) ?? [];
  const [, minutes = '', seconds = '00', fraction = ''] =
    /^(\d\d:\d\d)(?::(\d\d))?(?:[.,](\d+))?$/.exec(clock) ?? [];
  const utc = Date.UTC(
    Number(date.slice(0, 4)),
    Number(date.slice(5, 7)) - 1,
    Number(date.slice(8, 10)),
    Number(minutes.slice(0, 2)),
    Number(minutes.slice(3)),
    Number(seconds),
    Number(fraction.padEnd(3, '0').slice(0, 3)),
  );
  const [, sign, hours = 0, rest = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(rest)) * 60_000;
  return sign === '-' ? utc + offset : utc - offset;
}

/** One spelling for all of an IPv6 address; anything else, IPv4 above all, is left as it is. */
export function canonicalIp(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (!bare.includes(':')) return bare;
  try {
    return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  } catch {
    return bare.toLowerCase();
  }
}

/** The conditions on a status alone; undefined where there are none. */
export function statusTest({
  status,
  statusClass,
}: Conditions): ((status: number) => boolean) | undefined {
  if (status !== undefined) return (value) => value === status;
  if (statusClass !== undefined) return (value) => Math.floor(value / 100) === statusClass;
  return undefined;
}

/** The conditions on method, path and address, which no index answers; undefined without any. */
export function requestTest({
  method,
  path,
  q,
  ip,
}: Conditions): ((request: Pick<EntryFacts, 'method' | 'path' | 'ip'>) => boolean) | undefined {
  if ((method ?? path ?? q ?? ip) === undefined) return undefined;
  return (request) =>
    (path === undefined || request.path.startsWith(path)) &&
    (q === undefined || request.path.includes(q)) &&
    (method === undefined || request.method.toUpperCase() === method) &&
    (ip === undefined || request.ip === ip || canonicalIp(request.ip) === ip);
}

/** The condition on the time; undefined where there is none. */
export function timeTest({ from, to }: Conditions): ((time: number) => boolean) | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [first, end] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
  // Not a number is in no range.
  return (time) => time >= first && time < end;
}

/** All the conditions on an entry that was read by JSON.parse. */
export function factsTest(conditions: Conditions): (facts: EntryFacts) => boolean {
  const key = conditions.domain === undefined ? undefined : hostKey(conditions.domain);
  const [status, request, time] = [
    statusTest(conditions),
    requestTest(conditions),
    timeTest(conditions),
  ];
  return (facts) =>
    (key === undefined || facts.key === key) &&
    (!status || status(facts.status)) &&
    (!time || time(facts.time)) &&
    (!request || request(facts));
}
