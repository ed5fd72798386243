/** Clients' addresses: which one to believe, and what counts as one client. Pure. */
import { isIP } from 'node:net';
import { plain } from '../../shared/loopback.ts';

/** The last hop of `X-Forwarded-For`, which the proxy itself appended; null if it is not an address. */
export function lastHop(forwardedFor: string | null): string | null {
  const hop = forwardedFor?.split(',').at(-1)?.trim() ?? '';
  // RFC 7239 6: an IPv6 address may be in brackets, and any address may be followed by a port.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  return isIP(bare) ? plain(bare) : null;
}

/** What is throttled as one client: an IPv4 address, or the /64 that a home or a server gets (RFC 6177). */
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
