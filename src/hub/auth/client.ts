/** Where a request came from, behind a reverse proxy too: over what, from which address, and whether from here. */

import { isIP } from 'node:net';
import { isAskedHere, isFromHere, isLoopbackHost, plain } from '../../shared/loopback.ts';
import { bearerOf } from './secret.ts';
import type { Client } from './sessions/sessions.ts';

/** The address at the other end of a request's socket. */
type PeerOf = (request: Request) => string;

type Forwarded = {
  /** Whether the client used HTTPS. */
  isHttps: (request: Request) => boolean;
  /** The client's address. */
  addressOf: (request: Request) => string;
};

/**
 * Never throws: a header that makes no sense is ignored.
 * @param trustProxy believe the last hop of `X-Forwarded-For`, and `X-Forwarded-Proto`
 */
export function createForwarded(trustProxy: boolean, peerOf: PeerOf): Forwarded {
  const header = (request: Request, name: string) =>
    trustProxy ? request.headers.get(name) : null;
  return {
    isHttps(request) {
      const scheme = header(request, 'x-forwarded-proto')?.split(',').at(-1)?.trim();
      return /^https:?$/i.test(scheme ?? URL.parse(request.url)?.protocol ?? '');
    },
    addressOf: (request) => lastHop(header(request, 'x-forwarded-for')) ?? plain(peerOf(request)),
  };
}

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

type LocalRules = {
  /** Whether the hub listens on loopback only. */
  loopback: boolean;
  /** Whether a proxy in front of the hub is trusted. */
  trustProxy: boolean;
  /** The hosts that the hub answers to; empty: any. */
  hosts: readonly string[];
};

export type LocalCheck = (request: Request) => boolean;

/** Where a proxy is to be expected, no request counts as local: what it passes on may look so. */
export function createLocalCheck({ loopback, trustProxy, hosts }: LocalRules): LocalCheck {
  const isAlone = loopback && !trustProxy && hosts.every(isLoopbackHost);
  return ({ headers }) => isAlone && isAskedHere(headers);
}

/** Whoever finds a session or an API token by its secret. */
type Finder = { find(token: string | null): object | null };

/**
 * Whether a request was made on this machine, or carries a valid token. A cookie is not accepted, because a browser
 * sends it unasked.
 */
export function createTrustedCheck(peerOf: PeerOf, accounts: Finder, tokens: Finder): LocalCheck {
  return (request) => {
    if (isFromHere(request, peerOf(request))) return true;
    const bearer = bearerOf(request.headers);
    return (accounts.find(bearer) ?? tokens.find(bearer)) !== null;
  };
}

/** Where a request comes from. @param ip as `Forwarded.addressOf` knows it */
export const clientOf = (request: Request, ip: string): Client => ({
  ip,
  userAgent: request.headers.get('user-agent') ?? '',
});
