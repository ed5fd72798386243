/** Caddy's rules for serving HTTPS without being told to. Pure. */
import { field, type Json, list, object } from './json.ts';

/**
 * Whether a server gets certificates, and the HTTP port redirects to it: it listens on a port other
 * than the HTTP port, and has a host that is not excluded.
 * @param ports the ports it listens on
 */
export function hasAutomaticHttps(
  server: Json,
  ports: readonly number[],
  httpPort: number,
): boolean {
  const automatic = object(field(server, 'automatic_https'));
  if (automatic.disable === true || ports.every((port) => port === httpPort)) return false;
  const skipped = new Set(list(automatic.skip));
  return list(field(server, 'routes')).some((route) =>
    hostsOf(route).some((host) => !skipped.has(host)),
  );
}

/** The hosts in a route's matchers. */
const hostsOf = (route: Json): Json[] =>
  list(field(route, 'match')).flatMap((matcher) => list(field(matcher, 'host')));
