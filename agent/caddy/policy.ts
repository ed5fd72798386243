/** What no configuration may reach, judged on the JSON that Caddy makes of it. Pure. */
import { field, type Json, type JsonObject, object } from './json.ts';

const STORAGE =
  'The storage option is not allowed: it would move certificates and their keys somewhere else.';
const ADMIN =
  'An upstream may not be the proxy’s own admin endpoint, nor be decided by a request so that it could be.';

/**
 * Why an adapted configuration is refused; null where it is not.
 * @param isAdmin whether an upstream's address is that of the admin endpoint
 */
export function findForbidden(
  config: JsonObject,
  isAdmin: (address: string) => boolean,
): string | null {
  if (config.storage !== undefined) return STORAGE;
  const left: Json[] = [config.apps ?? null];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (field(value.storage, 'module') !== undefined) return STORAGE;
      if (addressesOf(value).some(isAdmin)) return ADMIN;
    }
    left.push(...Object.values(value));
  }
  return null;
}

/** Where an object of the configuration has the proxy connect to. */
function addressesOf(value: JsonObject): string[] {
  const found: string[] = [];
  if (typeof value.dial === 'string') found.push(value.dial);
  const { name, port } = object(value.dynamic_upstreams);
  // Without a port a request decides it, or a SRV record does.
  if (typeof name === 'string') found.push(`${name}:${typeof port === 'string' ? port : '{srv}'}`);
  const { forward_proxy_url: url } = value;
  if (typeof url === 'string') found.push(url.replace(/^\w+:\/\//, '').replace(/\/.*$/s, ''));
  return found;
}
