/** Filter and order of the list of sites, which are kept in the page's address. Pure. */
import { COLUMNS, type Order, type Row, USUAL } from './rows.ts';

/** The choices of the filter. */
export const SHOWN = ['all', 'on', 'off', 'problems'] as const;
export type Shown = (typeof SHOWN)[number];

export type SiteFilter = { search: string; shown: Shown; order: Order };

/** Reads the filter from an address; unknown values count as absent. */
export function readFilter(query: URLSearchParams): SiteFilter {
  const shown = SHOWN.find((name) => name === query.get('show'));
  const sort = query.get('sort') ?? '';
  const column = COLUMNS.find((name) => name === sort.replace(/^-/, ''));
  return {
    search: query.get('q') ?? '',
    shown: shown ?? 'all',
    order: column ? { column, isReversed: sort.startsWith('-') } : USUAL,
  };
}

/** The query of an address, with its `?`; empty if it shows everything in the usual order. */
export function queryOf({ search, shown, order: { column, isReversed } }: SiteFilter): string {
  const query = new URLSearchParams();
  if (search) query.set('q', search);
  if (shown !== 'all') query.set('show', shown);
  if (column !== USUAL.column || isReversed) query.set('sort', `${isReversed ? '-' : ''}${column}`);
  const text = query.toString();
  return text && `?${text}`;
}

/** Each word of the search must occur in the domain or the upstream, in any case. */
export function searchRows(rows: readonly Row[], search: string): Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ site }) => {
    const text = `${site.domain} ${site.upstream}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function isShown({ site, health }: Row, shown: Shown): boolean {
  if (shown === 'all') return true;
  if (shown === 'problems') return health.level === 'bad' || health.level === 'warn';
  return site.enabled === (shown === 'on');
}
