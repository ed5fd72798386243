/** Clients' addresses: which one is believed, and what counts as one client. Pure. */
import { isIP } from 'node:net';

/** The last hop of `X-Forwarded-For`, which the proxy itself wrote; null where it is no address. */
export function lastHop(forwardedFor: string | null): string | null {
  const hop = forwardedFor?.split(',').at(-1)?.trim() ?? '';
  // RFC 7239 6: an IPv6 address may stand in brackets, and a port behind any.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  return isIP(bare) ? plain(bare) : null;
}

/** An IPv4 address that travels in IPv6's clothes is shown as what it is. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');

/** What is throttled as one client: an IPv4 address, or the /64 a home or a server is given (RFC 6177). */
export function networkOf(address: string): string {
  const bare = plain(address);
  if (isIP(bare) !== 6) return bare;
  const [head = '', tail = ''] = (bare.split('%')[0] ?? '').toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const words = (part: string[]) =>
    part.reduce((sum, word) => sum + (word.includes('.') ? 2 : 1), 0);
  const gap = Math.max(0, 8 - words(first) - words(last));
  const all = bare.includes('::') ? [...first, ...Array(gap).fill('0'), ...last] : first;
  const prefix = all.slice(0, 4).map((word) => word.replace(/^0+(?=.)/, ''));
  return `${prefix.join(':')}::/64`;
}

/** Whether a server that listens on `host` can be reached from its own machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** What proxies add of where a request really came from; one of them is enough to tell. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

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
