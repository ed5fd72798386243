/** Filters the list of sites; the filter is kept in the page's address. Pure. */
import type { Vhost } from '../lib/types.ts';

/** The choices of the filter. */
export const SHOWN = ['all', 'on', 'off', 'problems'] as const;
export type Shown = (typeof SHOWN)[number];

export type SiteFilter = { search: string; shown: Shown };

/** Reads the filter from an address; unknown values count as absent. */
export function readFilter(query: URLSearchParams): SiteFilter {
  const shown = SHOWN.find((name) => name === query.get('show'));
  return { search: query.get('q') ?? '', shown: shown ?? 'all' };
}

/** The address of a filter; `/sites` if it shows everything. */
export function addressOf({ search, shown }: SiteFilter): string {
  const query = new URLSearchParams();
  if (search) query.set('q', search);
  if (shown !== 'all') query.set('show', shown);
  const text = query.toString();
  return text ? `/sites?${text}` : '/sites';
}

/** Each word of the search must occur in the domain or the upstream, in any case. */
export function filterSites(
  sites: readonly Vhost[],
  { search, shown }: SiteFilter,
  hasProblem: (site: Vhost) => boolean,
): Vhost[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return sites.filter((site) => {
    if (shown === 'on' && !site.enabled) return false;
    if (shown === 'off' && site.enabled) return false;
    if (shown === 'problems' && !hasProblem(site)) return false;
    if (words.length === 0) return true;
    const text = `${site.domain} ${site.upstream}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
