/** By which names the access log has the requests of sites, and filters that cover all names of one. Pure. */
import { namesOf } from '../../lib/names.ts';
import type { SiteState, Vhost } from '../../lib/types.ts';
import { anyOf } from './filters.ts';

type Site = Pick<Vhost, 'addresses'>;

/** Not any host, and not a variable. */
const isKnown = (name: string): boolean => name !== '' && !/[{}]/.test(name);

/** Those that Caddy serves, or all that a site has until they are known; without patterns and any host. */
export function hostsOf(site: Site, state: Pick<SiteState, 'addresses'> | undefined): string[] {
  const served = (state?.addresses ?? []).map(({ name }) => name);
  const names = served.length > 0 ? served : namesOf(site);
  return [...new Set(names.filter((name) => isKnown(name) && !name.includes('*')))];
}

/** The domain filter for all names of a site, patterns included; empty if none has all of them. */
export function siteFilter(site: Site): string {
  const names = namesOf(site);
  return names.every(isKnown) ? anyOf([...new Set(names)]) : '';
}

/** The names of a domain filter, for a person: `a.lan or *.b.lan`. */
export const namesIn = (filter: string): string => filter.trim().split(/,?\s+/).join(' or ');

/** A domain filter, and what it covers if that is not plain. */
type Suggestion = { value: string; label?: string };

/** Filters for each name of the sites, and for all names of those with several. */
export function suggestionsFor(
  sites: readonly Pick<Vhost, 'domain' | 'addresses'>[],
): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const site of sites) {
    const all = siteFilter(site);
    if (all.includes(' ')) found.set(all, { value: all, label: `all names of ${site.domain}` });
    for (const value of namesOf(site).filter(isKnown)) found.set(value, { value });
  }
  return [...found.values()];
}
