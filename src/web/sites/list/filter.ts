/** Filter and order of the list of sites, which are kept in the page's address. Pure. */
import { COLUMNS, type Order, type Row, USUAL } from './rows.ts';

/** The choices of the filter. */
export const SHOWN = ['all', 'on', 'off', 'problems'] as const;
export type Shown = (typeof SHOWN)[number];

export type SiteFilter = {
  search: string;
  shown: Shown;
  order: Order;
  /** Only sites with this tag, or with this policy; empty: all. */
  tag: string;
  policy: string;
  /** Only sites that this proxy serves; empty: all. */
  agent: string;
  /** Only sites that this keeps; empty: all. */
  source: string;
  /** Grouped by tag. */
  isGrouped: boolean;
};

/** Shows everything. */
export const NO_FILTER = {
  search: '',
  shown: 'all',
  tag: '',
  policy: '',
  agent: '',
  source: '',
} as const satisfies Partial<SiteFilter>;

/** Reads the filter from an address; unknown values count as absent. */
export function readFilter(query: URLSearchParams): SiteFilter {
  const text = (name: string) => query.get(name) ?? '';
  const shown = SHOWN.find((name) => name === query.get('show'));
  const sort = text('sort');
  const column = COLUMNS.find((name) => name === sort.replace(/^-/, ''));
  return {
    search: text('q'),
    shown: shown ?? 'all',
    order: column ? { column, isReversed: sort.startsWith('-') } : USUAL,
    tag: text('tag'),
    policy: text('policy'),
    agent: text('agent'),
    source: text('source'),
    isGrouped: query.get('group') === 'tag',
  };
}

/** The query of an address, with its `?`; empty if it shows everything in the usual order. */
export function queryOf(filter: SiteFilter): string {
  const { search, shown, tag, policy, agent, source, isGrouped } = filter;
  const { column, isReversed } = filter.order;
  const isUsual = column === USUAL.column && !isReversed;
  const all = {
    q: search,
    show: shown === 'all' ? '' : shown,
    sort: isUsual ? '' : `${isReversed ? '-' : ''}${column}`,
    tag,
    policy,
    agent,
    source,
    group: isGrouped ? 'tag' : '',
  };
  const query = new URLSearchParams(Object.entries(all).filter(([, text]) => text !== ''));
  return query.size > 0 ? `?${query}` : '';
}

type Wanted = Pick<SiteFilter, 'search' | 'tag' | 'policy' | 'agent' | 'source'> & {
  /** The sites to which the policy applies; those that name it while that is not known. */
  guarded?: readonly number[] | undefined;
};

const wordsIn = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

/** Each word of the search must occur in a name, an upstream, a policy or a tag, in any case. */
export function searchRows(rows: readonly Row[], wanted: Wanted): Row[] {
  const { search, tag, policy, agent, source, guarded } = wanted;
  const words = wordsIn(search);
  return rows.filter(({ site, upstreams }) => {
    if (tag !== '' && !site.tags.includes(tag)) return false;
    const isGuarded = guarded?.includes(site.id) ?? site.policies.includes(policy);
    if (policy !== '' && !isGuarded) return false;
    const isElsewhere = site.agents.length > 0 && !site.agents.includes(agent);
    if (agent !== '' && isElsewhere) return false;
    if (source !== '' && site.source !== source) return false;
    const { addresses, upstream, policies, tags } = site;
    const all = [...addresses, upstream, ...(upstreams ?? []), ...policies, ...tags];
    const text = all.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What the list says of the names after the first: which one, how many, or the one that the search found. */
export function furtherNames(
  { addresses }: Pick<Row['site'], 'addresses'>,
  search: string,
): string {
  const [, first, ...others] = addresses;
  if (first === undefined) return '';
  if (others.length === 0) return `+ ${first}`;
  const words = wordsIn(search);
  const found = [first, ...others].find((name) =>
    words.some((word) => name.toLowerCase().includes(word)),
  );
  return found ? `+ ${found} and ${others.length} more` : `+ ${others.length + 1} names`;
}

export function isShown({ site, health }: Row, shown: Shown): boolean {
  if (shown === 'all') return true;
  if (shown === 'problems') return health.level === 'bad' || health.level === 'warn';
  return site.enabled === (shown === 'on');
}
