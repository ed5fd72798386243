/** Recognises requests that can only come from someone on this machine. Pure. */
import { isIP } from 'node:net';

/** Turns an IPv4-mapped IPv6 address into plain IPv4; other addresses stay as they are. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');

/** Whether a server that listens on `host` can be reached only from its own machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Whether a host with an optional port, as in a `Host` header, names this machine. */
export function isLoopbackHost(host: string): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? '';
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/**
 * The headers that curl, `fetch`, browsers and Prometheus send of themselves. A list of what proxies
 * and tunnels add would never be complete.
 */
const OF_CLIENTS = new Set([
  'host',
  'user-agent',
  'content-type',
  'content-length',
  'authorization',
  'cookie',
  'accept',
  'accept-encoding',
  'accept-language',
  'origin',
  'referer',
  'dnt',
  'priority',
  'cache-control',
  'pragma',
  'if-none-match',
  'if-modified-since',
  'upgrade-insecure-requests',
  'x-prometheus-scrape-timeout-seconds',
]);

/** `Sec-` is the browser's own: pages cannot set such headers (Fetch 2.2.2). */
const isOfClient = ([name, value]: [string, string]): boolean =>
  OF_CLIENTS.has(name) ||
  name.startsWith('sec-') ||
  // nginx says `close` by default.
  (name === 'connection' && value.toLowerCase() === 'keep-alive');

/**
 * Whether a request to a server on loopback was meant for it. A proxy forwards requests from
 * anywhere, and a stranger's page can use a name that resolves to loopback (DNS rebinding).
 */
export const isAskedHere = (headers: Headers): boolean =>
  isLoopbackHost(headers.get('host') ?? '') && [...headers].every(isOfClient);

/** `Sec-Fetch-Site` of the hub's own pages; absent outside of browsers (Fetch Metadata). */
const OWN_SITES = new Set([null, 'none', 'same-origin']);

/**
 * Whether a request came from this machine, and not from another site's page in its browser.
 * @param peer the address at the other end of the socket
 */
export const isFromHere = ({ headers }: Request, peer: string): boolean =>
  isLoopback(plain(peer)) &&
  isAskedHere(headers) &&
  !headers.has('origin') &&
  OWN_SITES.has(headers.get('sec-fetch-site')?.toLowerCase() ?? null);
