/** The networks by which a configuration tells visitors apart. Pure. */
import { isObject, type Json, list } from '../../src/shared/json.ts';

/** Caddy's matchers for the address of a visitor. */
export const ADDRESS_MATCHERS: readonly string[] = ['remote_ip', 'client_ip'];

/** The networks of all such matchers in a configuration, as it has them. */
export function networksIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const all = Object.entries(value).flatMap(([key, one]) =>
    ADDRESS_MATCHERS.includes(key) && isObject(one)
      ? list(one.ranges).map(String)
      : networksIn(one),
  );
  return [...new Set(all)];
}
