/** Which sites a list shows. Pure. */
import type { Vhost } from '../lib/types.ts';

export const SHOWN = ['all', 'on', 'off', 'problems'] as const;
export type Shown = (typeof SHOWN)[number];

export type SiteFilter = { search: string; shown: Shown };

/** Out of an address; what it does not know counts as absent. */
export function readFilter(query: URLSearchParams): SiteFilter {
  const shown = SHOWN.find((name) => name === query.get('show'));
  return { search: query.get('q') ?? '', shown: shown ?? 'all' };
}

/** Its address, `/` where nothing is filtered. */
export function addressOf({ search, shown }: SiteFilter): string {
  const query = new URLSearchParams();
  if (search) query.set('q', search);
  if (shown !== 'all') query.set('show', shown);
  const text = query.toString();
  return text ? `/?${text}` : '/';
}

/** Every word must be in the domain or the upstream, in any case. */
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
