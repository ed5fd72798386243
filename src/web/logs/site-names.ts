/** The names that sites have in the log. Pure. */
import type { Vhost } from '../lib/types.ts';

/** Hosts without scheme, port and path, each once; port-only addresses and variables have none. */
export function siteNames(sites: readonly Pick<Vhost, 'domain'>[]): string[] {
  const names = sites.map(({ domain }) =>
    domain
      .replace(/^https?:\/\//, '')
      .replace(/\/.*$/, '')
      .replace(/:\d*$/, ''),
  );
  return [...new Set(names.filter((name) => name !== '' && !/[{}*]/.test(name)))];
}
