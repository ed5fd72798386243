/** One of the two configurations of a replay: what its trial runs, and where a request is asked. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../../src/shared/json.ts';
import {
  hasAutomaticHttps,
  type Listener,
  listenersOf,
  ownListeners,
  portOf,
  redirectsOf,
} from '../../../caddy/ports/ports.ts';
import { ANY_NAME, tlsFor } from '../../../sites/checks/trial-config.ts';
import { covers, nameOf, namesOf } from '../../../sites/live-sites.ts';
import { concern, finderOf, isNamed, memoized, type Route } from './hosts.ts';
import { type Needs, needsOf } from './needs.ts';
import { redirectServer, type Shared, trialServer } from './servers.ts';

/** Where a trial listens for what the configuration has on a port. */
export type Place = { host: string; port: number; tls: boolean };

export type Side = {
  /** What its trial runs. */
  apps: JsonObject;
  /** Ports on which it serves HTTPS, or HTTP; the usual one first. */
  ports(tls: boolean): readonly number[];
  /** Null if nobody would answer: nothing listens there, or Caddy has no certificate for the name. */
  place(host: string, port: number, tls: boolean): Place | null;
  /** The site that has a host, as its address says; `*` if it answers to any, null if there is none. */
  siteOf(host: string): string | null;
  needsOf(host: string): Needs;
  /** Whether a host is served, and on no TCP port. */
  isOnSocket(host: string): boolean;
  /** The headers that matter for any host, in lower case. */
  headers: ReadonlySet<string>;
  /** Whether visitors of a host need a certificate of their own. */
  asksForCertificate(host: string): boolean;
  /** All of them. */
  places: readonly Place[];
};

/** The ports of a configuration, with those of automatic HTTPS. */
export function portsOf(config: Json): number[] {
  const http = field(config, 'apps', 'http');
  const own = listenersOf(config).map(({ port }) => port);
  return [portOf(field(http, 'http_port'), 80), portOf(field(http, 'https_port'), 443), ...own];
}

type Server = {
  listeners: (Listener & { tls: boolean })[];
  /** Those that may answer to a host. */
  routesFor: (host: string) => readonly Route[];
  /** The same of those for errors. */
  errorsFor: (host: string) => readonly Route[];
  needs: Needs;
  /** Policies of TLS connections with client certificates: the names they are for; null: all. */
  guarded: (readonly string[] | null)[];
};

/** @param config as adapted */
export function createSide(config: Json, shared: Shared): Side {
  const http = object(field(config, 'apps', 'http'));
  const usual = { http: portOf(http.http_port, 80), https: portOf(http.https_port, 443) };
  const isConcerned = concern(shared.hosts);
  const servers: Server[] = [];
  const sockets: Server['routesFor'][] = [];
  const json: JsonObject = {};
  const redirects = new Map<string, Listener>();
  let isFirst = true;
  for (const [name, given] of Object.entries(object(http.servers))) {
    const server = object(given);
    const own = ownListeners(server);
    const invoked = needsOf(server.named_routes ?? {});
    const needsFor = (route: Json) => needsWith(route, server, invoked);
    if (own.length === 0) {
      const here = list(server.routes).map((route) => ({ names: namesOf(route), needs: NONE }));
      sockets.push(finderOf(here));
      continue;
    }
    const routes = list(server.routes).filter((route) => isConcerned(namesOf(route)));
    // Automatic HTTPS goes by the names of all sites: one stands for those that are left out.
    if (!routes.some(isNamed)) routes.push(...list(server.routes).filter(isNamed).slice(0, 1));
    const ports = own.map(({ port }) => port);
    const isSecure =
      list(server.tls_connection_policies).length > 0 ||
      hasAutomaticHttps(server, ports, usual.http) ||
      (ports.includes(usual.https) && object(server.automatic_https).disable !== true);
    const names = [...new Set(routes.flatMap((route) => [...namesOf(route)]))].filter(Boolean);
    // Caddy puts its redirects where they belong only if it gets one certificate at least.
    const automatic = isFirst ? names.slice(1) : names;
    if (isSecure && names.length > 0) isFirst = false;
    json[name] = trialServer({ ...server, routes }, { tls: isSecure, skipped: automatic }, shared);
    for (const one of redirectsOf(server, http)) redirects.set(one.host, one);
    const read = (all: readonly Json[]): Route[] =>
      all.map((route) => ({ names: namesOf(route), needs: needsFor(route) }));
    const known = read(routes);
    const ofErrors = read(list(field(server.errors, 'routes')));
    servers.push({
      listeners: own.map((one) => ({ ...one, tls: isSecure && one.port !== usual.http })),
      routesFor: memoized(finderOf(known)),
      errorsFor: memoized(finderOf(ofErrors)),
      needs: joined([...known, ...ofErrors].map(({ needs }) => needs)),
      guarded: list(server.tls_connection_policies).flatMap((policy) => {
        if (field(policy, 'client_authentication') === undefined) return [];
        const sni = field(policy, 'match', 'sni');
        return [Array.isArray(sni) ? sni.map(String) : null];
      }),
    });
  }
  for (const { host, port } of redirects.values()) {
    const isThere = servers.some(({ listeners }) =>
      listeners.some((one) => one.host === host && one.port === port),
    );
    if (isThere) continue;
    json[`redirects ${host}`] = redirectServer({ host, port }, shared);
    const listeners = [{ host, port, tls: false }];
    const none = () => [];
    servers.push({ listeners, routesFor: none, errorsFor: none, needs: NONE, guarded: [] });
  }
  const all = servers.flatMap(({ listeners }) => listeners);
  const at = ({ host, port, tls }: (typeof all)[number]): Place => ({
    host: shared.addressFor(host),
    port: shared.portFor(port),
    tls,
  });
  const routesFor = (host: string) => servers.flatMap((server) => server.routesFor(host));
  const isOpen = CERTIFICATES_FOR_ANY.test(JSON.stringify(field(config, 'apps', 'tls') ?? null));
  // On every port: servers share their certificates. A site for any name has none.
  const isCertified = memoized(
    (host) =>
      isOpen ||
      servers
        .filter(({ listeners }) => listeners.some(({ tls }) => tls))
        .flatMap((server) => server.routesFor(host))
        .some(({ names }) =>
          [...names].some(
            (name) => name.includes('{') || (name !== '' && covers(name, nameOf(host))),
          ),
        ),
  );

  return {
    apps: {
      http: {
        http_port: shared.portFor(usual.http),
        https_port: shared.portFor(usual.https),
        servers: json,
      },
      tls: tlsFor([ANY_NAME]),
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
    ports(tls) {
      const found = new Set(all.flatMap((one) => (one.tls === tls ? one.port : [])));
      const first = tls ? usual.https : usual.http;
      return [...found].toSorted((a, b) => Number(b === first) - Number(a === first));
    },
    place(host, port, tls) {
      const there = servers.filter(({ listeners }) => listeners.some((one) => one.port === port));
      const serving = there.find((server) => server.routesFor(host).length > 0);
      const listener = (serving ?? there[0])?.listeners.find((one) => one.port === port);
      return !listener || (tls && listener.tls && !isCertified(host)) ? null : at(listener);
    },
    siteOf(host) {
      const names = routesFor(host).flatMap(({ names }) =>
        [...names].filter((name) => name !== '' && covers(name, nameOf(host))),
      );
      const [first] = names.toSorted((a, b) => stars(a) - stars(b));
      return first ?? (routesFor(host).length > 0 ? '*' : null);
    },
    needsOf: memoized((host) => {
      const ofErrors = servers.flatMap((server) => server.errorsFor(host));
      return joined([...routesFor(host), ...ofErrors].map(({ needs }) => needs));
    }),
    isOnSocket: (host) =>
      routesFor(host).length === 0 && sockets.some((routesOn) => routesOn(host).length > 0),
    asksForCertificate: memoized((host) =>
      servers.some(({ guarded, listeners }) =>
        guarded.some(
          (names) =>
            listeners.some(({ tls }) => tls) &&
            (names === null || names.some((name) => covers(name, nameOf(host)))),
        ),
      ),
    ),
    headers: joined(servers.map(({ needs }) => needs)).headers,
    places: all.map(at),
  };
}

const stars = (name: string): number => name.split('*').length;

/** Caddy may have certificates for names that no site has. */
const CERTIFICATES_FOR_ANY = /"on_demand":true|"load_(?:files|folders|pem|storage)"/;

/** By which a server learns a visitor's address from trusted proxies, unless it says otherwise. */
const CLIENT_IP_HEADER = 'X-Forwarded-For';

/** @param invoked those of the named routes, which `invoke` runs */
function needsWith(route: Json, server: JsonObject, invoked: Needs): Needs {
  const own = needsOf(route);
  const needs = JSON.stringify(route).includes('"handler":"invoke"') ? joined([own, invoked]) : own;
  if (!needs.address || server.trusted_proxies === undefined) return needs;
  const named = list(server.client_ip_headers ?? [CLIENT_IP_HEADER]);
  const headers = [...needs.headers, ...named.map((one) => String(one).toLowerCase())];
  return { ...needs, headers: new Set(headers) };
}

const NONE: Needs = { address: false, headers: new Set() };

const joined = (all: readonly Needs[]): Needs => ({
  address: all.some(({ address }) => address),
  headers: new Set(all.flatMap(({ headers }) => [...headers])),
});
