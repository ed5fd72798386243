/** The servers of a trial: what of a configured one decides how it answers, on loopback. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../../src/shared/json.ts';
import { type Listener, ownListeners } from '../../../caddy/ports/ports.ts';
import { ANY_NAME } from '../../../sites/checks/trial-config.ts';
import { namesOf } from '../../../sites/live-sites.ts';
import { isNamed } from './hosts.ts';
import { guardRoute, noSiteRoute, playedRoutes, type Stage } from './routes.ts';

/** What both sides have in common. */
export type Shared = Stage & {
  /** The hosts that are asked for; null: any. */
  hosts: readonly string[] | null;
  /** The port on which a trial listens for a configured one. */
  portFor: (port: number) => number;
  /** The loopback address for one that a configuration listens on, such as an interface's; empty: any. */
  addressFor: (host: string) => string;
};

/**
 * @param server as configured, with the routes that are asked for
 * @param tls whether it serves HTTPS
 * @param skipped names that it needs no certificates for
 */
export function trialServer(
  server: JsonObject,
  { tls, skipped }: { tls: boolean; skipped: readonly string[] },
  shared: Shared,
): JsonObject {
  const routes = list(server.routes);
  const automatic = object(server.automatic_https);
  const named = Object.entries(object(server.named_routes)).map(([id, route]) => [
    id,
    playedRoutes([route], id, shared)[0] ?? {},
  ]);
  return {
    ...kept(server),
    ...common(ownListeners(server), shared),
    routes: [
      guardRoute(shared),
      ...playedTop(routes, shared),
      ...(routes.every(isNamed) ? [noSiteRoute(shared)] : []),
    ],
    ...(server.errors !== undefined && {
      errors: { routes: playedTop(list(field(server.errors, 'routes')), shared) },
    }),
    ...(named.length > 0 && { named_routes: Object.fromEntries(named) }),
    automatic_https: {
      ...automatic,
      skip_certificates: [...list(automatic.skip_certificates), ...skipped],
    },
    ...(tls && { tls_connection_policies: [{ default_sni: ANY_NAME }] }),
  };
}

/** For the redirects of automatic HTTPS: Caddy's own server for them would know nothing of addresses. */
export const redirectServer = (listener: Listener, shared: Shared): JsonObject => ({
  ...common([listener], shared),
  routes: [guardRoute(shared), noSiteRoute(shared)],
});

const common = (listeners: readonly Listener[], shared: Shared): JsonObject => ({
  listen: listeners.map(({ host, port }) => `${shared.addressFor(host)}:${shared.portFor(port)}`),
  protocols: ['h1'],
  ...wrappers(shared),
});

/** Each top-level route is a site's. */
const playedTop = (routes: readonly Json[], shared: Shared): JsonObject[] =>
  routes.flatMap((route) =>
    playedRoutes([route], [...namesOf(route)].find(Boolean) ?? 'any site', shared),
  );

/** What else of a server decides how it answers. */
const KEPT = ['max_header_bytes', 'client_ip_headers', 'trusted_proxies_strict'];

function kept(server: JsonObject): JsonObject {
  const found = Object.entries(server).filter(([name]) => KEPT.includes(name));
  const { trusted_proxies: trusted } = server;
  // Others ask a service for their lists.
  if (field(trusted, 'source') === 'static') found.push(['trusted_proxies', trusted as Json]);
  return Object.fromEntries(found);
}

/** Tells Caddy the visitor's address (Caddy docs, `proxy_protocol`). */
const wrappers = ({ knowsAddresses }: Stage): JsonObject =>
  knowsAddresses
    ? {
        listener_wrappers: [
          { wrapper: 'proxy_protocol', timeout: '5s', allow: ['127.0.0.0/8'] },
          { wrapper: 'tls' },
        ],
      }
    : {};
