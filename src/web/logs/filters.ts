/** The filters of the log as they stand in the address, the API's queries and the chips. Pure. */

const FILTER_KEYS = ['domain', 'status', 'method', 'path', 'q', 'ip', 'from', 'to'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** An empty text is no filter; `from` and `to` are ISO 8601 UTC. */
export type Filters = Readonly<Record<FilterKey, string>> & {
  readonly page: number;
  readonly pageSize: number;
};

export const PAGE_SIZES = [50, 100, 500] as const;
export const NO_FILTERS: Filters = {
  domain: '',
  status: '',
  method: '',
  path: '',
  q: '',
  ip: '',
  from: '',
  to: '',
  page: 1,
  pageSize: PAGE_SIZES[0],
};

const TIME =
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?)?$/;
const HAS_ZONE = /T.*(Z|[+-]\d\d:?\d\d)$/;

/** A time as the address has it, without a zone in UTC; undefined where it is none. */
function utc(text: string): string | undefined {
  if (!TIME.test(text)) return undefined;
  const zoned = HAS_ZONE.test(text) ? text : `${text.includes('T') ? text : `${text}T00:00`}Z`;
  const at = new Date(zoned.replace(',', '.'));
  if (Number.isNaN(at.getTime())) return undefined;
  const iso = at.toISOString();
  return TIME.test(iso) ? iso : undefined;
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);
const atMost = (length: number) => (text: string) => (text.length <= length ? text : undefined);

// The API's own bounds: what is refused here would be a 400 there.
const NORMAL: Readonly<Record<FilterKey, (text: string) => string | undefined>> = {
  domain: (text) => atMost(300)(text.trim()),
  status: (text) => matching(/^(\d{1,3}|[1-5]xx)?$/)(text.trim().toLowerCase()),
  method: (text) => matching(/^[!#$%&'*+.^_`|~\dA-Za-z-]{0,32}$/)(text.trim().toUpperCase()),
  path: atMost(8192),
  q: atMost(1024),
  ip: (text) => matching(/^\[?[\dA-Za-z:.%_-]{0,64}\]?$/)(text.trim()),
  from: (text) => (text === '' ? '' : utc(text)),
  to: (text) => (text === '' ? '' : utc(text)),
};

/** The value as it is kept; undefined where the API would not take it. */
export const accepted = (key: FilterKey, text: string): string | undefined => NORMAL[key](text);

/** What an address says; what is unknown or would be refused is left out. */
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

/** The part of a query that pages; the first page of the usual size needs none. */
function paged(filters: Filters): string {
  const query = queryOf(filters, FILTER_KEYS);
  if (filters.page > 1) query.set('page', String(filters.page));
  if (filters.pageSize !== PAGE_SIZES[0]) query.set('pageSize', String(filters.pageSize));
  return query.toString();
}

/** The dashboard's address; the same filters always have the same one. */
export function addressOf(filters: Filters): string {
  const query = paged(filters);
  return query === '' ? '/logs' : `/logs?${query}`;
}

export const pageRequest = (filters: Filters): string => `/logs?${paged(filters)}`;

/** The API counts over time by these alone. */
export const STATS_KEYS = ['domain', 'from', 'to'] as const;

export function statsRequest(filters: Filters, buckets: number): string {
  const query = queryOf(filters, STATS_KEYS);
  query.set('buckets', String(buckets));
  return `/logs/stats?${query}`;
}

/** What is written from now on has no range. */
const TAIL_KEYS = ['domain', 'status', 'method', 'path', 'q', 'ip'] as const;

/** @param after the id of the last event that was seen */
export function tailRequest(filters: Filters, after = ''): string {
  const query = queryOf(filters, TAIL_KEYS);
  if (after !== '') query.set('after', after);
  return `/logs/tail?${query}`;
}

/** Another filter begins on the first page; one that is refused changes nothing. */
export function changed(filters: Filters, patch: Partial<Record<FilterKey, string>>): Filters {
  const next: Record<FilterKey, string> & { page: number; pageSize: number } = { ...filters };
  for (const key of FILTER_KEYS) next[key] = accepted(key, patch[key] ?? next[key]) ?? next[key];
  return { ...next, page: 1 };
}

const LABELS: Readonly<Record<FilterKey, string>> = {
  domain: 'domain',
  status: 'status',
  method: 'method',
  path: 'path begins with',
  q: 'path contains',
  ip: 'address',
  from: 'from',
  to: 'until',
};

export type Applied = { key: FilterKey; label: string; value: string };

/** The filters that are on, in their order. */
export const applied = (filters: Filters): Applied[] =>
  FILTER_KEYS.filter((key) => filters[key] !== '').map((key) => ({
    key,
    label: LABELS[key],
    value: filters[key],
  }));
