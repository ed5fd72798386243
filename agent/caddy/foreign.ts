/** Whether a live configuration serves sites that signalbox did not write. Pure. */
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
