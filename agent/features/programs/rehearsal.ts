/** Another program of Caddy with all sites, on loopback addresses that no visitor reaches. */
import { Failure } from '../../../src/shared/failure.ts';
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { listenersOf, parseAddress } from '../../caddy/ports/ports.ts';
import { portsOf } from '../../caddy/ports/sockets.ts';

/** Where the other program listens for an address of the one that runs. */
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
 * so that automatic HTTPS and redirects are. Pure.
 * @param storage the folder with the certificates
 */
export function rehearsalOf(
  config: JsonObject,
  storage: string,
  addressFor: AddressFor,
): { apps: JsonObject; storage: JsonObject } {
  const apps = Object.entries(object(config.apps)).filter(([name]) => APPS.includes(name));
  const http = object(field(config, 'apps', 'http'));
  const servers = Object.entries(object(http.servers)).flatMap(([name, given]) => {
    const server = moved(object(given), addressFor);
    return server === null ? [] : [[name, server] as const];
  });
  return {
    storage: { module: 'file_system', root: storage },
    apps: { ...Object.fromEntries(apps), http: { ...http, servers: Object.fromEntries(servers) } },
  };
}

/** Over TCP alone; null for a server that has nothing else. */
function moved(server: JsonObject, addressFor: AddressFor): JsonObject | null {
  const { listen_protocols: _, logs: __, ...rest } = server;
  const addresses = list(server.listen).flatMap((one) => parseAddress(String(one)));
  const listen = [...new Set(addresses.map(({ host, port }) => `${addressFor(host)}:${port}`))];
  const given = server.protocols === undefined ? ['h1', 'h2'] : list(server.protocols);
  const protocols = given.filter((one) => one !== 'h3');
  // Without an address, Caddy would choose one itself.
  return listen.length === 0 || protocols.length === 0 ? null : { ...rest, listen, protocols };
}

/** How long a program may take to open all ports of a configuration, in milliseconds. */
const OPEN_MS = 5_000;
const POLL_MS = 10;

/** The TCP ports of a configuration that a process does not listen on. */
function closedIn(config: Json, pid: number): number[] {
  const wanted = new Set(listenersOf(config).flatMap(({ port, udp }) => (udp ? [] : port)));
  try {
    return [...wanted.difference(new Set(portsOf(pid, 'tcp')))];
  } catch {
    return [...wanted];
  }
}

/** Waits until a process listens on all TCP ports of its configuration. @throws Failure PROXY_UNREACHABLE */
export async function opened(config: Json, pid: number): Promise<void> {
  const late = performance.now() + OPEN_MS;
  for (
    let [closed] = closedIn(config, pid);
    closed !== undefined;
    [closed] = closedIn(config, pid)
  ) {
    if (performance.now() > late) {
      throw new Failure('PROXY_UNREACHABLE', `It does not open port ${closed}.`);
    }
    await Bun.sleep(POLL_MS);
  }
}
