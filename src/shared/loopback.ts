/** Which requests can only have been made by somebody on this machine. Pure. */
import { isIP } from 'node:net';

/** An IPv4 address that travels in IPv6's clothes is shown as what it is. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');

/** Whether a server that listens on `host` can be reached from its own machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** What proxies add of where a request really came from; one of them is enough to tell. */
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
 * Whether a request to a server on loopback was meant for it: what a proxy sends on may come from
 * anywhere, and under a name that a stranger had point to loopback (DNS rebinding) his page asks.
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

/** What a browser says of the page that asks; absent outside of browsers (Fetch Metadata). */
const OWN_SITES = new Set([null, 'none', 'same-origin']);

/**
 * Whether a request came from this machine, and from no page of somebody else in its browser.
 * @param peer the address at the other end of the socket
 */
export const isFromHere = ({ headers }: Request, peer: string): boolean =>
  isLoopback(plain(peer)) &&
  isAskedHere(headers) &&
  !headers.has('origin') &&
  OWN_SITES.has(headers.get('sec-fetch-site')?.toLowerCase() ?? null);
