/** The filters of the log: read from the page's address, sent to the API, shown as chips. Pure. */
import { LOG_FILTERS } from '../../../shared/patterns.ts';
import type { LogEntry } from '../../lib/types.ts';

/** Those of the live log, which has no time range. */
const TAIL_KEYS = ['domain', 'status', 'method', 'path', 'q', 'ip', 'userAgent', 'agent'] as const;
const FILTER_KEYS = [...TAIL_KEYS, 'from', 'to'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** An empty text means no filter; `from` and `to` are ISO 8601 in UTC. */
export type Filters = Readonly<Record<FilterKey, string>> & {
  readonly page: number;
  readonly pageSize: number;
};

/** The requests per page that can be chosen; the first is the default. */
export const PAGE_SIZES = [50, 100, 500] as const;
export const NO_FILTERS: Filters = {
  domain: '',
  status: '',
  method: '',
  path: '',
  q: '',
  ip: '',
  userAgent: '',
  agent: '',
  from: '',
  to: '',
  page: 1,
  pageSize: PAGE_SIZES[0],
};

const HAS_ZONE = /T.*(Z|[+-]\d\d:?\d\d)$/;

/** Normalizes a time from the address, by default in UTC; undefined if it is not a time. */
function utc(text: string): string | undefined {
  if (fits('from', text) === undefined) return undefined;
  const zoned = HAS_ZONE.test(text) ? text : `${text.includes('T') ? text : `${text}T00:00`}Z`;
  const at = new Date(zoned.replace(',', '.'));
  if (Number.isNaN(at.getTime())) return undefined;
  const iso = at.toISOString();
  return fits('from', iso);
}

/** The text, unless the API would answer 400 to it. */
function fits(key: keyof typeof LOG_FILTERS, text: string): string | undefined {
  const limit: { pattern?: string; maxLength?: number } = LOG_FILTERS[key];
  const isRight = new RegExp(limit.pattern ?? '').test(text);
  return isRight && text.length <= (limit.maxLength ?? text.length) ? text : undefined;
}

const NORMAL: Readonly<Record<FilterKey, (text: string) => string | undefined>> = {
  domain: (text) => fits('domain', text.trim()),
  status: (text) => fits('status', text.trim().toLowerCase()),
  method: (text) => fits('method', text.trim().toUpperCase()),
  path: (text) => fits('path', text),
  q: (text) => fits('q', text),
  ip: (text) => fits('ip', text.trim()),
  userAgent: (text) => fits('userAgent', text),
  agent: (text) => (/^[a-z0-9-]{0,40}$/.test(text.trim()) ? text.trim() : undefined),
  from: (text) => (text === '' ? '' : utc(text)),
  to: (text) => (text === '' ? '' : utc(text)),
};

/** The normalized value of a filter; undefined if the API would reject it. */
export const accepted = (key: FilterKey, text: string): string | undefined => NORMAL[key](text);

/** Reads filters from an address; ignores unknown and invalid ones. */
export function parseFilters(query: URLSearchParams): Filters {
  const texts = FILTER_KEYS.map((key) => [key, accepted(key, query.get(key) ?? '') ?? '']);
  const page = query.get('page') ?? '';
  const pageSize = Number(query.get('pageSize'));
  return {
    ...NO_FILTERS,
    ...Object.fromEntries(texts),
    page: /^[1-9]\d{0,14}$/.test(page) ? Number(page) : 1,
    pageSize: PAGE_SIZES.find((size) => size === pageSize) ?? PAGE_SIZES[0],
  };
}

function queryOf(filters: Filters, keys: readonly FilterKey[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const key of keys) if (filters[key] !== '') query.set(key, filters[key]);
  return query;
}

/** The query of all that match, on whatever page. */
export const filterQuery = (filters: Filters): URLSearchParams => queryOf(filters, FILTER_KEYS);

/** The query of a page of the log; the first page and the default size are left out. */
function paged(filters: Filters): string {
  const query = filterQuery(filters);
  if (filters.page > 1) query.set('page', String(filters.page));
  if (filters.pageSize !== PAGE_SIZES[0]) query.set('pageSize', String(filters.pageSize));
  return query.toString();
}

/** The address in the dashboard; equal filters have equal addresses. @param path of a page that shows a log */
export function addressOf(filters: Filters, path = '/logs'): string {
  const query = paged(filters);
  return query === '' ? path : `${path}?${query}`;
}

/** The address of the log with these filters only. */
export const logsOf = (filters: Partial<Filters>): string =>
  addressOf({ ...NO_FILTERS, ...filters });

export const pageRequest = (filters: Filters): string => `/logs?${paged(filters)}`;

/** @param after the id of the last event received */
export function tailRequest(filters: Filters, after = ''): string {
  const query = queryOf(filters, TAIL_KEYS);
  if (after !== '') query.set('after', after);
  return `/logs/tail?${query}`;
}

/** The formats of `/logs/export`. */
export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;

/** The address of a download of all matches. */
export function exportAddress(filters: Filters, format: (typeof EXPORT_FORMATS)[number]): string {
  const query = filterQuery(filters);
  query.set('format', format);
  return `/api/logs/export?${query}`;
}

/** The API's path for an entry with its details; null if it has no time to find it by. */
export function entryRequest(entry: LogEntry): string | null {
  const at = Date.parse(entry.timestamp);
  if (Number.isNaN(at)) return null;
  const { domain, method, path, ip } = entry;
  const known = { ...NO_FILTERS, status: String(entry.status), domain, method, ip };
  const query = new URLSearchParams({ details: 'true', from: entry.timestamp });
  if (entry.agent !== undefined) query.set('agent', entry.agent);
  query.set('to', new Date(at + 1).toISOString());
  const texts = { ...known, path: path.slice(0, PATH_FILTER) };
  for (const key of ['domain', 'status', 'method', 'path', 'ip'] as const) {
    const normal = accepted(key, texts[key]);
    if (normal) query.set(key, normal);
  }
  return `/logs?${query}`;
}

/** Whether an entry that was found again is the one that was shown. */
export const sameEntry = (one: LogEntry, other: LogEntry): boolean =>
  one.latency === other.latency && one.path === other.path && one.domain === other.domain;

/** Changes filters and goes to the first page; ignores invalid values. */
export function changed(filters: Filters, patch: Partial<Record<FilterKey, string>>): Filters {
  const next: Record<FilterKey, string> & { page: number; pageSize: number } = { ...filters };
  for (const key of FILTER_KEYS) next[key] = accepted(key, patch[key] ?? next[key]) ?? next[key];
  return { ...next, page: 1 };
}

/** Characters of a path used as a filter when clicked: enough to tell paths apart, short enough for an address. */
export const PATH_FILTER = 1_000;

const LABELS: Readonly<Record<FilterKey, string>> = {
  domain: 'domain',
  status: 'status',
  method: 'method',
  path: 'path starts with',
  q: 'path contains',
  ip: 'IP address',
  userAgent: 'user agent contains',
  agent: 'proxy',
  from: 'from',
  to: 'until',
};

type Applied = { key: FilterKey; label: string; value: string };

/** The active filters, in the order of the inputs. */
export const applied = (filters: Filters): Applied[] =>
  FILTER_KEYS.filter((key) => filters[key] !== '').map((key) => ({
    key,
    label: LABELS[key],
    value: filters[key],
  }));

/** The domain filter for several names; empty if it would be too long. */
export const anyOf = (names: readonly string[]): string =>
  accepted('domain', names.join(' ')) ?? '';
