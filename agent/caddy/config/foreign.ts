/** What a configuration of another program serves and asks for, before it is replaced. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { listed } from '../../../src/shared/one-line.ts';
import { hostsOf } from '../ports/ports.ts';

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
function hostsIn(config: Json): Set<string> {
  const servers = Object.values(object(field(config, 'apps', 'http', 'servers')));
  const routes = servers.flatMap((server) => list(field(server, 'routes')));
  return new Set(routes.flatMap((route) => hostsOf(route).map(String)));
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

/** How many are named in a sentence. */
const MOST_NAMED = 20;

/**
 * Says which sites a publish took from the proxy that the hub has not stored.
 * @param previous the configuration that was live, as JSON text
 * @param next what replaced it
 */
export function withdrawnSentence(previous: string, next: JsonObject): string {
  const gone = [...hostsIn(JSON.parse(previous) as Json).difference(hostsIn(next))];
  const named = listed(gone, MOST_NAMED);
  return `The hub started with other sites than those in the Caddyfile, and replaced it${
    named && `, withdrawing ${named}`
  }. The old Caddyfile is kept beside it as Caddyfile.changed-….`;
}

/** False for a Caddyfile that surely says nothing of origins. */
export const mayHaveOrigins = (text: string): boolean => /\b(origins|enforce_origin)\b/.test(text);

/** The origins that its admin endpoint lets in. @param address of that endpoint, as in a Caddyfile */
export function originsIn(config: JsonObject, address: string): string[] {
  const options = object(config.admin);
  if (options.origins !== undefined) return list(options.origins).map(String);
  // The default is its own address, which is empty for a socket; 2.11 has none there.
  return options.enforce_origin ? [`http://${address.replace(/^unix\/.*/, '')}`] : [];
}
