/** Where a browser reaches an address of a site. Pure. */
import type { SiteState } from '../lib/types.ts';

/** Null where nothing is served, or where the name stands for many. */
export function linkTo({
  name,
  port,
  served,
  tls,
}: Pick<SiteState['addresses'][number], 'name' | 'port' | 'served' | 'tls'>): string | null {
  if (!served || name === '' || name.includes('*')) return null;
  const host = name.includes(':') ? `[${name.replace(/^\[|\]$/g, '')}]` : name;
  const usual = tls ? 443 : 80;
  return `${tls ? 'https' : 'http'}://${host}${port === usual ? '' : `:${port}`}/`;
}
