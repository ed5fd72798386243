/** The listeners of a configuration, and which of those that it adds cannot be opened. */
import { readFileSync } from 'node:fs';
import { field, type Json, list, object, parseJson } from '../../../src/shared/json.ts';
import { listeningInodes } from './sockets.ts';

/** A listener as Caddy writes it: host may be empty, which is every address. */
export type Listener = { host: string; port: number; udp?: true };

/**
 * Why a listener cannot be opened: another program has the port, no interface has the address, or
 * the agent cannot tell, because Caddy may have rights that the agent lacks.
 */
type Obstacle = 'in use' | 'no address' | 'unknown';

/**
 * The listeners of `next` that cannot be opened beside those of `before`. A port that is open in
 * `before`, on whatever address, is not tried, because Caddy itself has it.
 * @param before the live configuration as JSON text
 * @param isForbidden whether Caddy may not open a port
 */
export function obstructed(
  next: Json,
  before: string,
  isForbidden: (port: number) => boolean = () => false,
): Listener[] {
  const open = listenersOf(parseJson(before));
  const names = new Set(open.map(nameOf));
  const ports = new Set(open.map(({ port }) => port));
  return listenersOf(next).filter((listener) => {
    if (names.has(nameOf(listener))) return false;
    if (isForbidden(listener.port)) return true;
    const obstacle = obstacleTo(listener);
    return obstacle === 'no address' || (obstacle === 'in use' && !ports.has(listener.port));
  });
}

/** The listeners for HTTP/3 that `next` adds and another program has, on all addresses. As `obstructed`. */
export function obstructedHttp3(next: Json, before: string): Listener[] {
  const open = new Set(http3Of(parseJson(before)).map(nameOf));
  return http3Of(next).filter(
    (one) => one.host === '' && !open.has(nameOf(one)) && obstacleTo(one) === 'in use',
  );
}

/** Caddy's rule for HTTP/3: a server with TLS, unless it says otherwise, but not on the HTTP port. */
function http3Of(config: Json): Listener[] {
  const http = field(config, 'apps', 'http');
  const httpPort = portOf(field(http, 'http_port'), 80);
  return Object.values(object(field(http, 'servers'))).flatMap((server) => {
    const protocols = list(field(server, 'protocols'));
    const own = ownListeners(server).filter(({ port }) => port !== httpPort);
    const ports = own.map(({ port }) => port);
    const hasTls =
      list(field(server, 'tls_connection_policies')).length > 0 ||
      hasAutomaticHttps(server, ports, httpPort);
    if (!hasTls || (protocols.length > 0 && !protocols.includes('h3'))) return [];
    return own.map((one) => ({ ...one, udp: true as const }));
  });
}

/** Tries to open a listener; null if that works. */
export function obstacleTo({ host, port, udp }: Listener): Obstacle | null {
  if (udp) return listeningInodes(port, 'udp').length > 0 ? 'in use' : null;
  try {
    const socket = { data() {} };
    Bun.listen({ hostname: host === '' ? '::' : host, port, exclusive: true, socket }).stop(true);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return 'in use';
    return code === 'EADDRNOTAVAIL' ? 'no address' : 'unknown';
  }
}

/** CAP_NET_BIND_SERVICE (capabilities(7)). */
const MAY_BIND = 1n << 10n;

/** Whether a process may not open so low a port; false if it is unknown, or nothing says so. */
export function isForbidden(port: number, pid: number | null): boolean {
  const lowest = Number(readText('/proc/sys/net/ipv4/ip_unprivileged_port_start') ?? Number.NaN);
  if (pid === null || !(port < lowest)) return false;
  const [, rights] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readText(`/proc/${pid}/status`) ?? '') ?? [];
  return rights !== undefined && (BigInt(`0x${rights}`) & MAY_BIND) === 0n;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Different ports of IPv4's loopback that are free. @throws Error if there are not so many */
export function freePorts(count: number): number[] {
  const socket = { data() {} };
  const open = Array.from({ length: count }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, exclusive: true, socket }),
  );
  const ports = open.map(({ port }) => port);
  for (const listener of open) listener.stop(true);
  return ports;
}

/** All TCP listeners of a configuration, one per address. */
export function listenersOf(config: Json): Listener[] {
  const http = field(config, 'apps', 'http');
  const servers = Object.values(object(field(http, 'servers')));
  const found = servers.flatMap((server) => [
    ...ownListeners(server),
    ...redirectsOf(server, http),
  ]);
  return [...new Map(found.map((listener) => [nameOf(listener), listener])).values()];
}

export const ownListeners = (server: Json): Listener[] =>
  list(field(server, 'listen')).flatMap((one) => parseAddress(String(one)));

/**
 * Automatic HTTPS also opens the HTTP port of the same addresses, to redirect visitors, whatever
 * port the site uses.
 * @param http the HTTP app that the server is in
 */
export function redirectsOf(server: Json, http: Json | undefined): Listener[] {
  const httpPort = portOf(field(http, 'http_port'), 80);
  const own = ownListeners(server);
  const ports = own.map(({ port }) => port);
  const isOff = field(server, 'automatic_https', 'disable_redirects') === true;
  if (isOff || !hasAutomaticHttps(server, ports, httpPort)) return [];
  return own.map(({ host }) => ({ host, port: httpPort }));
}

/** The listeners of `:80`, `tcp/127.0.0.1:80-82` or `[::1]:80`; none for other networks. */
export function parseAddress(address: string): Listener[] {
  const match = /^(?:tcp[46]?\/)?(.*):(\d+)(?:-(\d+))?$/.exec(address);
  if (!match || address.startsWith('udp') || address.startsWith('unix')) return [];
  const [, host = '', first, last = first] = match;
  const ports: Listener[] = [];
  for (let port = Number(first); port <= Number(last); port++) {
    ports.push({ host: host.replace(/^\[|\]$/g, ''), port });
  }
  return ports;
}

/** `:443`, `127.0.0.1:443`, `[::1]:443`; with `udp/` before it for HTTP/3. */
export const nameOf = ({ host, port, udp }: Listener): string =>
  `${udp ? 'udp/' : ''}${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The listener of that name; none if it is no name. */
export function parseName(name: string): Listener[] {
  if (!name.startsWith('udp/')) return parseAddress(name);
  return parseAddress(name.slice('udp/'.length)).map((listener) => ({ ...listener, udp: true }));
}

/** A port of the configuration, or the default. */
export const portOf = (value: Json | undefined, fallback: number): number =>
  typeof value === 'number' ? value : fallback;

/**
 * Caddy's rule for serving HTTPS without being told to: whether a server gets certificates, and the HTTP port redirects to it: it listens on a port other
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
export const hostsOf = (route: Json): Json[] =>
  list(field(route, 'match')).flatMap((matcher) => list(field(matcher, 'host')));
