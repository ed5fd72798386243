/** Refuses requests from other sites' pages, and for host names that are not the hub's. Pure. */
import { Failure } from '../../shared/failure.ts';
import { bearerOf } from './secret.ts';

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
