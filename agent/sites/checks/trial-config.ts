/** What a proxy for a trial runs: the servers that are asked, on ports of its own. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import type { CheckTarget } from '../../../src/shared/wire/checks.ts';
import { covers, liveSites, namesOf } from '../live-sites.ts';
import { nameFor, type Place, sentName } from './ask.ts';
import { placesIn } from './checks.ts';

type TrialConfig = {
  apps: JsonObject;
  /** Where the targets are served, or why they are not; in the order of the targets. */
  places: (Place | string)[];
  /** Those that it signs certificates for. */
  names: string[];
};

/** The certificate for a connection without a server name; it is as good as any. */
export const ANY_NAME = 'signalbox.internal';

/**
 * Keeps of a configuration what answers requests. It writes no logs, listens on loopback, and signs all
 * certificates itself.
 * @param adapted the configuration that is to be tried
 * @param ports free ones, at least as many as it has servers
 */
export function trialConfig(
  adapted: JsonObject,
  targets: readonly CheckTarget[],
  ports: readonly number[],
): TrialConfig {
  const { http, pki } = object(adapted.apps);
  const servers: JsonObject = {};
  const found = new Map<CheckTarget, Place | string>();
  const free = ports.values();
  for (const [name, server] of Object.entries(object(field(http, 'servers')))) {
    const alone = { apps: { http: { ...object(http), servers: { [name]: server } } } };
    const placeOf = placesIn(liveSites(alone));
    const served = targets.flatMap((target) => {
      const place = placeOf(target);
      if (typeof found.get(target) === 'object') return [];
      found.set(target, place);
      return typeof place === 'string' ? [] : [{ target, place }];
    });
    const [first] = served;
    if (!first) continue;
    const dial = free.next().value ?? 0;
    const { tls } = first.place;
    const names = served.map(({ place }) => nameFor(place));
    servers[name] = serverOn(dial, withRoutesOf(object(server), names), tls);
    for (const { target, place } of served) {
      found.set(target, { ...place, host: HOST, dial, tls });
    }
  }
  const places = targets.map((target) => found.get(target) ?? 'Caddy serves no sites');
  const certified = namesToSign(places);
  return {
    apps: { http: { servers }, tls: tlsFor(certified), pki: ownAuthorities(pki) },
    places,
    names: certified,
  };
}

const HOST = '127.0.0.1';

/** Without the sites that are not asked: their upstreams need no second health check. */
const withRoutesOf = (server: JsonObject, names: readonly string[]): JsonObject => ({
  ...server,
  routes: list(server.routes).filter((route) =>
    [...namesOf(route)].some(
      (host) => host === '' || host.includes('{') || names.some((name) => covers(host, name)),
    ),
  ),
});

/** Without HTTP/3, which needs another port; without automatic HTTPS, which would open the HTTP port. */
function serverOn(port: number, server: JsonObject, tls: boolean): JsonObject {
  const { logs: _, listen_protocols: __, tls_connection_policies: policies, ...kept } = server;
  const given = list(policies).map(policyOf);
  return {
    ...kept,
    listen: [`${HOST}:${port}`],
    protocols: ['h1', 'h2'],
    automatic_https: { disable: true },
    ...(tls && { tls_connection_policies: given.length > 0 ? given : [policyOf({})] }),
  };
}

/** What a trial keeps of how a connection is made: nothing that reads or writes a file of its own. */
const KEPT = [
  'match',
  'cipher_suites',
  'curves',
  'alpn',
  'protocol_min',
  'protocol_max',
  'client_authentication',
  'drop',
  'fallback_sni',
];

/** The same, with a certificate of its own authority instead of a file's. */
function policyOf(policy: Json): JsonObject {
  const kept = Object.entries(object(policy)).filter(([name]) => KEPT.includes(name));
  return { ...Object.fromEntries(kept), default_sni: ANY_NAME };
}

const namesToSign = (places: readonly (Place | string)[]): string[] => {
  const names = places.flatMap((place) =>
    typeof place === 'object' && place.tls ? (sentName(place) ?? []) : [],
  );
  return [...new Set([...names, ANY_NAME])];
};

/** Of an authority of its own. */
export const tlsFor = (names: string[]): JsonObject => ({
  automation: { policies: [{ issuers: [{ module: 'internal' }] }] },
  certificates: { automate: names },
});

/** Handlers may name them. None is installed in the system's trust store, which is the default. */
function ownAuthorities(pki: Json | undefined): JsonObject {
  const ids = Object.keys(object(field(pki, 'certificate_authorities')));
  const all = ['local', ...ids].map((id) => [id, { install_trust: false }]);
  return { certificate_authorities: Object.fromEntries(all) };
}
