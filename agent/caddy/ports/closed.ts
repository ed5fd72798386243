/**
 * Listeners that a configuration has to do without, because another program has the port or no
 * interface has the address: what is served on the others need not wait for them. And listeners that a
 * failed start has left open.
 */
import { messageOf } from '../../../src/shared/async.ts';
import { every, type Repeated } from '../../../src/shared/every.ts';
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import type { Log } from '../../../src/shared/log.ts';
import type { Closed } from '../../../src/shared/wire/proxy.ts';
import type { Pace } from '../../pace.ts';
import {
  type Listener,
  listenersOf,
  nameOf,
  obstacleTo,
  ownListeners,
  parseAddress,
  parseName,
  redirectsOf,
} from './ports.ts';
import { holdersOf, portsOf } from './sockets.ts';

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

/** A closed listener, for the hub. */
export const describeClosed = (listener: Listener): Closed => ({
  address: nameOf(listener),
  port: listener.port,
  reason: whyClosed(listener) ?? 'about to be opened',
});

/**
 * Whether a failed start has left listeners: the process holds more sockets on the ports of
 * `wanted` or `refused` than `wanted` asks for. False if `/proc` does not say.
 * @param wanted the live configuration
 * @param refused the configuration that failed to start
 */
function hasStrayListeners(pid: number, wanted: Json, refused: Json): boolean {
  const asked = new Map<number, number>();
  for (const { port } of listenersOf(refused)) asked.set(port, 0);
  for (const { port } of listenersOf(wanted)) asked.set(port, 0);
  for (const { port } of listenersOf(wanted)) asked.set(port, (asked.get(port) ?? 0) + 1);
  try {
    return (['tcp', 'udp'] as const).some((network) => {
      const ports = portsOf(pid, network);
      return [...asked].some(([port, most]) => ports.filter((one) => one === port).length > most);
    });
  } catch {
    return false;
  }
}

/** Caddy closes the listeners of a previous configuration in the background. */
const CLOSING_MS = 500;

/**
 * Whether stray listeners are still open after Caddy has had time to close them.
 * @param wanted the live configuration
 * @param refused the configuration that failed to start
 */
export async function staysStray(pid: number, wanted: Json, refused: Json): Promise<boolean> {
  const until = Date.now() + CLOSING_MS;
  while (hasStrayListeners(pid, wanted, refused)) {
    if (Date.now() > until) return true;
    await Bun.sleep(20);
  }
  return false;
}

/**
 * Opens closed listeners as soon as that is possible: tries at once, and then again some time after each
 * attempt.
 * @param reopen see `Reload`
 */
export function createReopener(
  reopen: () => Promise<boolean>,
  log: Log,
  pace: Pace['reopen'],
): Repeated {
  let pause = pace.every;
  let lastReason = '';

  function failed(error: unknown): false {
    const reason = messageOf(error);
    if (reason !== lastReason) log('listeners not opened', { reason }, 'warn');
    lastReason = reason;
    return false;
  }

  async function attempt(): Promise<void> {
    const isWell = await reopen().catch(failed);
    if (isWell) lastReason = '';
    pause = isWell ? pace.every : Math.min(pause * 2, pace.longest);
  }

  return every({ pause: () => pause }, attempt);
}
