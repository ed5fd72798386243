/** Where Caddy serves HTTPS although the configuration does not say so, by its own rules. Pure. */
import { field, type Json, object } from './json.ts';

/**
 * Whether a server gets certificates, and visitors of the HTTP port are sent on to it: it listens
 * on another port than that one, and has a host that is not excepted.
 * @param ports those it listens on
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

/** The hosts that a route's matchers ask for. */
const hostsOf = (route: Json): Json[] =>
  list(field(route, 'match')).flatMap((matcher) => list(field(matcher, 'host')));

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
