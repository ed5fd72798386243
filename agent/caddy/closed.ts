/**
 * Listeners that a configuration has to do without, because another program has the port or no
 * interface has the address: what is served on the others need not wait for them.
 */
import { field, type JsonObject, list, object } from './json.ts';
import {
  type Listener,
  nameOf,
  obstacleTo,
  ownListeners,
  parseAddress,
  parseName,
  redirectsOf,
} from './ports.ts';
import { holdersOf } from './sockets.ts';

/** The configuration without these listeners, and without servers that have no other. Pure. */
export function withoutListeners(config: JsonObject, closed: readonly Listener[]): JsonObject {
  if (closed.length === 0) return config;
  const names = new Set(closed.map(nameOf));
  const isClosed = (listener: Listener) => names.has(nameOf(listener));
  const http = object(field(config, 'apps', 'http'));
  const servers: JsonObject = {};
  for (const [name, server] of Object.entries(object(http.servers))) {
    const listen = list(field(server, 'listen')).filter(
      (address) => !parseAddress(String(address)).some(isClosed),
    );
    if (listen.length === 0) continue;
    const rest: JsonObject = { ...object(server), listen };
    if (redirectsOf(rest, http).some(isClosed)) {
      rest.automatic_https = { ...object(rest.automatic_https), disable_redirects: true };
    }
    const hasNoHttp3 = ownListeners(rest).some((one) => isClosed({ ...one, udp: true }));
    if (hasNoHttp3) rest.protocols = ['h1', 'h2'];
    servers[name] = rest;
  }
  return { ...config, apps: { ...object(config.apps), http: { ...http, servers } } };
}

/** The listener that Caddy's sentence about a failed start names; null if it names none. */
export function listenerIn(sentence: string): Listener | null {
  const [, network = '', address = ''] = /\blisten (tcp|udp)[46]? (\S*:\d+): /.exec(sentence) ?? [];
  return parseName(network === 'udp' ? `udp/${address}` : address)[0] ?? null;
}

/** Why a listener is closed: `held by nginx (process 123)`; null if it could be opened now. */
export function whyClosed(listener: Listener): string | null {
  const obstacle = obstacleTo(listener);
  if (obstacle === null) return null;
  if (obstacle === 'no address') return 'no interface has this address';
  if (obstacle === 'unknown') return 'Caddy could not open it';
  const holders = holdersOf(listener.port, listener.udp ? 'udp' : 'tcp');
  const names = holders.map(({ name, pid }) => `${name} (process ${pid})`);
  return `held by ${names.join(' and ') || 'another program'}`;
}
