/** Recognises requests that can only come from someone on this machine. Pure. */
import { isIP } from 'node:net';

/** Turns an IPv4-mapped IPv6 address into plain IPv4; other addresses stay as they are. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');

/** Whether a server that listens on `host` can be reached only from its own machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** The headers that proxies add; any of them shows that the request came through one. */
const FORWARDED = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'forwarded',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
];

/**
 * Whether a request to a server on loopback was meant for it. A proxy forwards requests from
 * anywhere, and a stranger's page can use a name that resolves to loopback (DNS rebinding).
 */
export function isAskedHere(headers: Headers): boolean {
  const host = headers.get('host') ?? '';
  const { hostname } = URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`)
    : { hostname: '' };
  return (
    isLoopback(hostname.replace(/^\[|\]$/g, '')) && !FORWARDED.some((name) => headers.has(name))
  );
}

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
