/** The host names of sites, as the log has them. Pure. */
import type { Vhost } from '../lib/types.ts';

/** Without scheme, port and path, each once; leaves out patterns, variables and bare ports. */
export function siteNames(sites: readonly Pick<Vhost, 'domain'>[]): string[] {
  const names = sites.map(({ domain }) =>
    domain
      .replace(/^https?:\/\//, '')
      .replace(/\/.*$/, '')
      .replace(/:\d*$/, ''),
  );
  return [...new Set(names.filter((name) => name !== '' && !/[{}*]/.test(name)))];
}
