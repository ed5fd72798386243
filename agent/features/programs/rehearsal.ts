/** The configurations of the time in which two programs of Caddy run. Pure. */
import { field, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { parseAddress } from '../../caddy/ports/ports.ts';

/** Where the new program listens for an address of the one that runs. */
export type AddressFor = (host: string) => string;

/**
 * A loopback address for each address that a configuration listens on, all different: of those of replays
 * and trials, none begins so.
 */
export function createAddresses(): AddressFor {
  const found = new Map<string, string>();
  return (host) => {
    const number = found.size + 1;
    const known = found.get(host) ?? `127.103.${number >> 8}.${number & 255}`;
    found.set(host, known);
    return known;
  };
}

/** What is rehearsed: other apps may open ports of their own, or act on something outside Caddy. */
const APPS = ['http', 'tls', 'pki'];

/**
 * The same sites, certificates and upstreams, on loopback addresses of their own. The ports are the same,
 * so that automatic HTTPS and redirects are.
 */
export function rehearsalOf(config: JsonObject, addressFor: AddressFor): JsonObject {
  const apps = Object.entries(object(config.apps)).filter(([name]) => APPS.includes(name));
  return withServers({ ...config, apps: Object.fromEntries(apps) }, (server) => {
    const addresses = list(server.listen).flatMap((one) => parseAddress(String(one)));
    const moved = addresses.map(({ host, port }) => `${addressFor(host)}:${port}`);
    // Without an address, Caddy would choose one itself.
    return moved.length === 0 ? null : overTcp({ ...server, listen: [...new Set(moved)] });
  });
}

/** The same without HTTP/3. */
export const withoutHttp3 = (config: JsonObject): JsonObject => withServers(config, overTcp);

/** The addresses that only one program can listen on: the file of a unix socket goes with the one that stops. */
export const unsharedIn = (config: JsonObject): string[] =>
  Object.values(object(field(config, 'apps', 'http', 'servers')))
    .flatMap((server) => list(field(server, 'listen')).map(String))
    .filter((address) => /^unix/i.test(address));

/** Null for a server that has no other protocol. */
function overTcp({ listen_protocols: _, ...server }: JsonObject): JsonObject | null {
  if (server.protocols === undefined) return { ...server, protocols: ['h1', 'h2'] };
  const protocols = list(server.protocols).filter((one) => one !== 'h3');
  return protocols.length === 0 ? null : { ...server, protocols };
}

/** @param change null: without that server */
function withServers(
  config: JsonObject,
  change: (server: JsonObject) => JsonObject | null,
): JsonObject {
  const apps = object(config.apps);
  const http = object(apps.http);
  if (http.servers === undefined) return config;
  const servers = Object.entries(object(http.servers)).flatMap(([name, server]) => {
    const changed = change(object(server));
    return changed === null ? [] : [[name, changed] as const];
  });
  return { ...config, apps: { ...apps, http: { ...http, servers: Object.fromEntries(servers) } } };
}
