/** What the list shows of each site, in which order, and under which tags. Pure. */
import { linkTo } from '../../lib/link.ts';
import type { Activity, SiteState, Vhost } from '../../lib/types.ts';
import { barsIn, endingNow, type StripProps } from '../../parts/strip-words.ts';
import { type Health, healthOf, type Outages, type SiteProblem } from '../problem.ts';

export type Row = {
  site: Vhost;
  health: Health;
  /** All that it forwards to, whichever directive names it; null if that is not known. */
  upstreams: readonly string[] | null;
  /** In the last hour; a 4xx is the visitor's mistake and no error. */
  requests: number;
  errors: number;
  rejected: number;
  /** Milliseconds. */
  p95: number | null;
  /** How it was; undefined until that is known. */
  strip: StripProps | undefined;
  /** Where a browser reaches it. */
  link: string | null;
};

/** By the site's id, but for what the status says of proxies. */
type Facts = {
  outages?: Outages;
  reported: ReadonlyMap<number, SiteProblem>;
  states: ReadonlyMap<number, SiteState>;
  activity: ReadonlyMap<number, Activity>;
  strips: ReadonlyMap<number, StripProps>;
};

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function rowOf(site: Vhost, facts: Facts): Row {
  const state = facts.states.get(site.id);
  const activity = facts.activity.get(site.id);
  const addresses = state?.addresses ?? [];
  const health = healthOf(site, facts.reported.get(site.id), state, facts.outages);
  const strip = facts.strips.get(site.id);
  return {
    site,
    health,
    upstreams: upstreamsOf(site, state),
    requests: activity ? sum(activity.requests) : 0,
    errors: activity ? sum(activity.status5xx) : 0,
    rejected: activity ? sum(activity.status4xx) : 0,
    p95: activity?.p95 ?? null,
    strip: strip && endingNow(strip, health.level === 'bad'),
    link: addresses.map(linkTo).find((link) => link !== null) ?? null,
  };
}

/** The one that the site was given, unless Caddy has others as well. */
function upstreamsOf({ upstream }: Vhost, state: SiteState | undefined): string[] | null {
  const live = state?.upstreams.map(({ address }) => address) ?? [];
  if (upstream !== '' && live.length < 2) return [upstream];
  const isKnown = live.length > 0 || state?.addresses.some(({ served }) => served);
  // Before it, Caddy may ask a sign-in service.
  const isOwn = (address: string) => upstream !== '' && upstream.endsWith(address);
  return isKnown ? live.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a))) : null;
}

/** By which the list can be sorted. */
export const COLUMNS = ['state', 'site', 'upstream', 'history', 'requests', 'latency'] as const;
export type Column = (typeof COLUMNS)[number];
export type Order = { column: Column; isReversed: boolean };

/** Problems first, and of those, what no proxy serves. */
export const USUAL: Order = { column: 'state', isReversed: false };

const LEVELS = ['bad', 'warn', 'unknown', 'good', 'off'] as const;

/** What is first is the least; null comes last in both directions. */
const VALUES: Record<Column, (row: Row) => string | number | null> = {
  site: ({ site }) => site.domain.replace(/^https?:\/\//, ''),
  upstream: ({ upstreams }) => upstreams?.[0] ?? null,
  history: ({ strip }) => (strip ? -barsIn(strip.bars, 'f').length : null),
  requests: ({ requests }) => (requests > 0 ? -requests : null),
  latency: ({ p95 }) => (p95 === null ? null : -p95),
  state: ({ health }) => LEVELS.indexOf(health.level) + (health.isPartly ? 0.5 : 0),
};

/** The columns whose greatest value comes first. */
const GREATEST_FIRST: readonly Column[] = ['history', 'requests', 'latency'];

/** For `aria-sort`. */
export const directionOf = ({ column, isReversed }: Order): 'ascending' | 'descending' =>
  GREATEST_FIRST.includes(column) === isReversed ? 'ascending' : 'descending';

const { compare: compareTexts } = new Intl.Collator('en', { numeric: true });

/** Rows of the same value stay in the order in which Caddy has them. */
export function sortRows(rows: readonly Row[], { column, isReversed }: Order): Row[] {
  const valueIn = VALUES[column];
  const sign = isReversed ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueIn(row) }))
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return typeof a === 'number' && typeof b === 'number'
        ? sign * (a - b)
        : sign * compareTexts(String(a), String(b));
    })
    .map(({ row }) => row);
}

/** A reason that so many sites share is given above the list, once. */
const SHARED = 3;

/** Why many sites are not well, with how many each. */
export function sharedReasons(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const reason = reasonOf(row);
    if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count >= SHARED));
}

/** Why a site is not well; empty if it is, or if somebody knows of it. */
export const reasonOf = ({ health: { level, text } }: Row): string => (level === 'off' ? '' : text);

/** `tag` is null for the sites without one. */
type Line =
  | { kind: 'tag'; tag: string | null; count: number }
  | { kind: 'site'; row: Row; tag: string | null };

/** One line per site. */
export const plainLines = (rows: readonly Row[]): Line[] =>
  rows.map((row) => ({ kind: 'site', row, tag: null }));

/** Each tag with its sites, in the order of the rows; a site is under each of its tags. */
export function groupedLines(rows: readonly Row[]): Line[] {
  const groups: (string | null)[] = [...tagsIn(rows), null];
  return groups.flatMap((tag): Line[] => {
    const inside = rows.filter(({ site: { tags } }) =>
      tag === null ? tags.length === 0 : tags.includes(tag),
    );
    if (inside.length === 0) return [];
    return [
      { kind: 'tag', tag, count: inside.length },
      ...inside.map((row): Line => ({ kind: 'site', row, tag })),
    ];
  });
}

/** All tags of these sites, sorted. */
export const tagsIn = (rows: readonly Row[]): string[] =>
  [...new Set(rows.flatMap(({ site }) => site.tags))].toSorted((a, b) => a.localeCompare(b));

/** Names a line among the others. */
export const keyOfLine = (line: Line): string =>
  line.kind === 'tag' ? `tag ${line.tag}` : `${line.row.site.id} ${line.tag ?? ''}`;
