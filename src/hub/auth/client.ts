/** Where a request came from, behind a reverse proxy too: over what, from which address and whose page, and whether from here. */
import { isIP } from 'node:net';
import { bearerOf } from '../../shared/bearer.ts';
import { Failure } from '../../shared/failure.ts';
import { groupsOf } from '../../shared/ipv6.ts';
import { isAskedHere, isFromHere, isLoopbackHost, plain } from '../../shared/loopback.ts';
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
  return `${groupsOf(bare).slice(0, 4).join(':')}::/64`;
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

type OriginRules = {
  /** Hosts (`box.example`, `box.example:8443`) that the hub answers to; empty: any. */
  hosts: readonly string[];
};

/** Where browsers reach the hub, first as links name it. */
export type Origins = readonly [string, ...string[]];

/** Safe methods (RFC 9110 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Routes that start or end a session. Another site's page must not do that either (login CSRF). */
const SIGNING = /^\/api\/auth\/sign-(in|up|out)(\/|$)/;

/** Trusted values of `Sec-Fetch-Site`; `none` is the address bar. */
const OWN_SITES = new Set(['same-origin', 'none']);

/** A host in lower case, without a default port. */
const normalHost = (host: string): string => host.toLowerCase().replace(/:(80|443)$/, '');

/**
 * @param https whether the request is known to have come over HTTPS
 * @throws Failure FORBIDDEN_ORIGIN
 */
export function assertOwnOrigin(request: Request, https: boolean, { hosts }: OriginRules): void {
  const { pathname } = new URL(request.url);
  const { method, headers } = request;
  const host = normalHost(headers.get('host') ?? '');
  // Against DNS rebinding, where a stranger's host name points here. Health checks and Prometheus
  // often know only the address: health reveals nothing, and metrics require a token, which no
  // page has, or check the host themselves.
  const isForMachines = pathname === '/api/health' || pathname === '/metrics';
  if (hosts.length > 0 && !isForMachines && !hosts.includes(host)) throw forbidden();
  if (SAFE.has(method) || bearerOf(headers) !== null) return;
  // Any cookie counts: whether it is a session's is for the one who reads it, and nobody reads
  // cookies exactly alike.
  if (!SIGNING.test(pathname) && !headers.has('cookie')) return;
  const site = headers.get('sec-fetch-site');
  if (site !== null && !OWN_SITES.has(site.toLowerCase())) throw forbidden();
  const origin = headers.get('origin');
  if (origin === null) return;
  const own = URL.canParse(origin) ? new URL(origin) : null;
  const from = own && normalHost(own.host);
  // Behind a proxy that is not trusted the scheme is unknown and does not count.
  if (!own || !from || (https && own.protocol !== 'https:')) throw forbidden();
  if (from !== host && !hosts.includes(from)) throw forbidden();
}

const forbidden = () =>
  new Failure(
    'FORBIDDEN_ORIGIN',
    'The page or host name of this request does not belong to the hub.',
  );
