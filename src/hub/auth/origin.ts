/** Which requests come from somebody else's page, and which names the hub answers to. Pure. */
import { Failure } from '../../shared/failure.ts';
import { bearerOf } from './bearer.ts';

export type OriginRules = {
  /** Hosts (`box.example`, `box.example:8443`) that the hub is reached by; empty: any. */
  hosts: readonly string[];
};

/** RFC 9110 9.2.1: these change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Routes that make or end a session: a foreign page must not do that either (login CSRF). */
const SIGNING = /^\/api\/auth\/sign-(in|up|out)(\/|$)/;

const COOKIE = /(?:^|;\s*)(?:__Host-)?signalbox_session=/;

/** What a browser says of the page that asks (Fetch Metadata); `none` is the address bar. */
const OWN_SITES = new Set(['same-origin', 'none']);

/** Lower case, without the port a browser leaves out. */
export const normalHost = (host: string): string => host.toLowerCase().replace(/:(80|443)$/, '');

/**
 * @param https whether the request came over HTTPS, as far as that is known
 * @throws Failure FORBIDDEN_ORIGIN
 */
export function assertOwnOrigin(request: Request, https: boolean, { hosts }: OriginRules): void {
  const { pathname } = new URL(request.url);
  const { method, headers } = request;
  const host = normalHost(headers.get('host') ?? '');
  // Against DNS rebinding: a stranger's name that points here is not one of ours. The health route
  // is asked by machines that know the address alone, and it tells nothing; so are the metrics,
  // which want a token no page has, or judge the host themselves.
  const isForMachines = pathname === '/api/health' || pathname === '/metrics';
  if (hosts.length > 0 && !isForMachines && !hosts.includes(host)) throw forbidden();
  if (SAFE.has(method) || bearerOf(headers) !== null) return;
  if (!SIGNING.test(pathname) && !COOKIE.test(headers.get('cookie') ?? '')) return;
  const site = headers.get('sec-fetch-site');
  if (site !== null && !OWN_SITES.has(site.toLowerCase())) throw forbidden();
  const origin = headers.get('origin');
  if (origin === null) return;
  const own = URL.canParse(origin) ? new URL(origin) : null;
  const from = own && normalHost(own.host);
  // The scheme counts only where it is known: behind a proxy that is not trusted it is not.
  if (!own || !from || (https && own.protocol !== 'https:')) throw forbidden();
  if (from !== host && !hosts.includes(from)) throw forbidden();
}

const forbidden = () =>
  new Failure('FORBIDDEN_ORIGIN', 'This request comes from a page that is not the hub’s own.');
