/** Where a browser reaches a site, and by which names the access log has it. Pure. */
import type { Address, SiteState, Vhost } from '../lib/types.ts';
import { siteNames } from '../logs/filter/filters.ts';

/** Null if the address is not served, or if its name is a pattern. */
export function linkTo(address: Pick<Address, 'name' | 'port' | 'served' | 'tls'>): string | null {
  const { name, port, served, tls } = address;
  if (!served || name === '' || name.includes('*')) return null;
  const host = name.includes(':') ? `[${name.replace(/^\[|\]$/g, '')}]` : name;
  const usual = tls ? 443 : 80;
  return `${tls ? 'https' : 'http'}://${host}${port === usual ? '' : `:${port}`}/`;
}

/** Those of its addresses, or of its domain until they are known; none for patterns or any host. */
export function hostsOf(
  site: Pick<Vhost, 'domain'>,
  state: Pick<SiteState, 'addresses'> | undefined,
): string[] {
  const names = (state?.addresses ?? []).map(({ name }) => name);
  if (names.length === 0) return siteNames([site]);
  return [...new Set(names.filter((name) => name !== '' && !/[{}*]/.test(name)))];
}
