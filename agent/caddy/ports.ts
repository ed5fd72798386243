/** Tries the ports that a configuration adds before it is loaded: a failed start can leak listeners. */
import { hasAutomaticHttps } from './automatic-https.ts';
import { field, type Json, list, object } from './json.ts';

/** A TCP listener as Caddy writes it: host may be empty, which is every address. */
export type Listener = { host: string; port: number };

/**
 * The listeners of `next` whose port is not already open, on whatever address, in `before`. UDP and
 * unix sockets are ignored. Pure.
 * @param before the live configuration as JSON text
 */
export function addedListeners(next: Json, before: string): Listener[] {
  const had = new Set(listenersOf(parse(before)).map(({ port }) => port));
  const added = new Map<string, Listener>();
  for (const listener of listenersOf(next)) {
    if (!had.has(listener.port)) added.set(`${listener.host}:${listener.port}`, listener);
  }
  return [...added.values()];
}

/**
 * The first listener whose address is in use, or null. Other errors do not count: Caddy may have
 * rights that the agent lacks.
 */
export function findTaken(listeners: readonly Listener[]): Listener | null {
  return listeners.find((listener) => isTaken(listener)) ?? null;
}

function isTaken({ host, port }: Listener): boolean {
  try {
    const socket = { data() {} };
    Bun.listen({ hostname: host === '' ? '::' : host, port, exclusive: true, socket }).stop(true);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  }
}

/** All TCP listeners of a configuration, one per address. */
export function listenersOf(config: Json): Listener[] {
  const http = field(config, 'apps', 'http');
  const httpPort = portOf(field(http, 'http_port'), 80);
  const servers = Object.values(object(field(http, 'servers'))).map((server) => {
    const own = list(field(server, 'listen')).flatMap((one) => parseAddress(String(one)));
    return { server, own };
  });
  const found = servers.flatMap(({ own }) => own);
  if (servers.some(({ server, own }) => redirects(server, own, httpPort)))
    found.push({ host: '', port: httpPort });
  return found;
}

/** Automatic HTTPS also opens the HTTP port, to redirect visitors, whatever port the site uses. */
function redirects(server: Json, own: readonly Listener[], httpPort: number): boolean {
  const ports = own.map(({ port }) => port);
  const isOff = field(server, 'automatic_https', 'disable_redirects') === true;
  return !isOff && hasAutomaticHttps(server, ports, httpPort);
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

/** A port of the configuration, or the default. */
export const portOf = (value: Json | undefined, fallback: number): number =>
  typeof value === 'number' ? value : fallback;

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
