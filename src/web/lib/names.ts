/** The names of a site. Pure. */
import type { Vhost } from './types.ts';

/** Of all its addresses, without scheme, port and path. */
export const namesOf = ({ addresses }: Pick<Vhost, 'addresses'>): string[] =>
  addresses.map((address) =>
    address
      .replace(/^https?:\/\//, '')
      .replace(/\/.*$/, '')
      .replace(/:\d*$/, ''),
  );
