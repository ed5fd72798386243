/** The host names of a site, as the access log has them. Pure. */
import type { SiteState, Vhost } from '../lib/types.ts';
import { siteNames } from '../logs/filters.ts';

/** Those of its addresses, or of its domain until they are known; none for patterns or any host. */
export function hostsOf(
  site: Pick<Vhost, 'domain'>,
  state: Pick<SiteState, 'addresses'> | undefined,
): string[] {
  const names = (state?.addresses ?? []).map(({ name }) => name);
  if (names.length === 0) return siteNames([site]);
  return [...new Set(names.filter((name) => name !== '' && !/[{}*]/.test(name)))];
}
