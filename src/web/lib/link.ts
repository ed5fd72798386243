/** Where a browser reaches a site. Pure. */
import type { Address } from './types.ts';

/** Null if the address is not served, or if its name is a pattern. */
export function linkTo(address: Pick<Address, 'name' | 'port' | 'served' | 'tls'>): string | null {
  const { name, port, served, tls } = address;
  if (!served || name === '' || name.includes('*')) return null;
  const host = name.includes(':') ? `[${name.replace(/^\[|\]$/g, '')}]` : name;
  const usual = tls ? 443 : 80;
  return `${tls ? 'https' : 'http'}://${host}${port === usual ? '' : `:${port}`}/`;
}
