/** Which sites a live configuration serves, for whoever is about to replace them. Pure. */
import { field, type Json, list, object } from './json.ts';

/** Debian's package serves this folder on port 80 until there is a Caddyfile. */
const DEBIAN_ROOT = '/usr/share/caddy';

/**
 * Whether it serves anything except Debian's default page.
 * @param config the live configuration as JSON text, without the agent's stamp
 */
export function isForeign(config: string): boolean {
  const servers = object(field(JSON.parse(config) as Json, 'apps', 'http', 'servers'));
  return Object.values(servers).some(
    (server) => list(field(server, 'routes')).length > 0 && !isDebianDefault(server),
  );
}

/** The hosts that its sites name, in the order of the configuration. */
export function hostsOf(config: Json): Set<string> {
  const servers = Object.values(object(field(config, 'apps', 'http', 'servers')));
  const routes = servers.flatMap((server) => list(field(server, 'routes')));
  const matchers = routes.flatMap((route) => list(field(route, 'match')));
  return new Set(matchers.flatMap((matcher) => list(field(matcher, 'host')).map(String)));
}

function isDebianDefault(server: Json): boolean {
  const text = JSON.stringify(server);
  return (
    JSON.stringify(field(server, 'listen')) === '[":80"]' &&
    list(field(server, 'routes')).length === 1 &&
    text.includes(`"root":"${DEBIAN_ROOT}"`) &&
    text.includes('"handler":"file_server"') &&
    !text.includes('"handler":"reverse_proxy"')
  );
}
