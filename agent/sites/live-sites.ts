/** The sites in a live configuration of Caddy, by host name. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../src/shared/json.ts';
import type { Authority } from '../../src/shared/wire/sites.ts';
import { isGiven, keptNames } from '../caddy/config/kept.ts';
import { hasAutomaticHttps, type Listener, parseAddress, portOf } from '../caddy/ports/ports.ts';
import { hostKey } from '../logs/line/entry.ts';
import { type LiveUpstream, upstreamsOf } from './live-upstreams.ts';

/** How a name is reached over TLS. */
export type LiveTls = Listener & {
  /** Whether Caddy obtains and renews the certificate; false if it was given one. */
  automated: boolean;
  /** Whether the hub keeps it. */
  kept: boolean;
  /** Whether a handshake can make Caddy request the certificate. */
  onDemand: boolean;
  /** Who signs it, if it is automated. */
  authority: PolicyAuthority;
  /** Whether Caddy uses the DNS challenge. */
  dns: boolean;
};

type SiteListener = Listener & { tls: boolean };

export type LiveSite = {
  /** Lower case, punycode, no brackets; empty for a site that answers to any host. */
  name: string;
  ports: readonly number[];
  listeners: readonly SiteListener[];
  /** Null for plain HTTP. */
  tls: LiveTls | null;
  upstreams: readonly LiveUpstream[];
  /** Whether a success can only come from an upstream. */
  alone: boolean;
};

/** A host in the form in which names are compared: lower case, punycode, no port, no brackets. */
export const nameOf = (host: string): string => hostKey(host).replace(/^\[|\]$/g, '');

/**
 * One site per host name of each server.
 * @param config the live configuration, of any shape
 */
export function liveSites(config: Json): LiveSite[] {
  const apps = field(config, 'apps');
  const http = field(apps, 'http');
  const ports = {
    http: portOf(field(http, 'http_port'), 80),
    https: portOf(field(http, 'https_port'), 443),
  };
  const automation = policiesBy(list(field(apps, 'tls', 'automation', 'policies')), (policy) => {
    const subjects = list(field(policy, 'subjects'));
    return subjects.length === 0 ? null : subjects;
  });
  const isKept = keptNames(config);
  return Object.values(object(field(http, 'servers'))).flatMap((server) =>
    sitesOf(object(server), ports, automation, isKept),
  );
}

type Ports = { http: number; https: number };

function sitesOf(
  server: JsonObject,
  ports: Ports,
  automation: PolicyFinder,
  isKept: ReturnType<typeof keptNames>,
): LiveSite[] {
  const listeners = list(server.listen).flatMap((address) => parseAddress(String(address)));
  const found = new Map<string, { upstreams: Map<string, LiveUpstream>; alone: boolean }>();
  for (const route of list(server.routes)) {
    const { upstreams, alone } = upstreamsOf(route);
    for (const name of namesOf(route)) {
      const known = found.get(name) ?? { upstreams: new Map(), alone: server.errors === undefined };
      for (const one of upstreams) known.upstreams.set(one.address, one);
      known.alone &&= alone;
      found.set(name, known);
    }
  }
  const place = listeners.find(({ port }) => port !== ports.http) ?? listeners[0];
  const secure = isSecure(server, listeners, ports) ? place : undefined;
  const selection = policiesBy(list(server.tls_connection_policies), (policy) => {
    const names = field(policy, 'match', 'sni');
    return Array.isArray(names) ? names : null;
  });
  function tlsOf(name: string, place: Listener): LiveTls {
    const chosen = field(selection(name), 'certificate_selection');
    const kept = isKept(name, chosen);
    const policy = automation(name);
    return {
      ...place,
      automated: !kept && !isGiven(chosen),
      kept,
      onDemand: !kept && field(policy, 'on_demand') === true,
      authority: authorityOf(policy),
      dns: usesDns(policy),
    };
  }
  return [...found].map(([name, { upstreams, alone }]) => ({
    name,
    ports: listeners.map(({ port }) => port),
    // Caddy serves no TLS on the HTTP port.
    listeners: listeners.map((one) => ({ ...one, tls: !!secure && one.port !== ports.http })),
    tls: secure ? tlsOf(name, secure) : null,
    upstreams: [...upstreams.values()],
    alone,
  }));
}

/** Whether Caddy serves it over TLS, by its configuration or by automatic HTTPS. */
function isSecure(server: JsonObject, listeners: readonly Listener[], ports: Ports): boolean {
  if (list(server.tls_connection_policies).length > 0) return true;
  const own = listeners.map(({ port }) => port);
  const isOff = object(server.automatic_https).disable === true;
  return (!isOff && own.includes(ports.https)) || hasAutomaticHttps(server, own, ports.http);
}

/** The hosts in a route's matchers; a matcher without hosts gives the empty name. */
export function namesOf(route: Json): Set<string> {
  const matchers = list(field(route, 'match'));
  const hosts = matchers.flatMap((matcher) => {
    const host = field(matcher, 'host');
    return Array.isArray(host) ? host.map((one) => nameOf(String(one))) : [''];
  });
  return new Set(matchers.length === 0 ? [''] : hosts);
}

type PolicyFinder = (name: string) => Json | undefined;

/**
 * Finds the policy of a name, which is the first that covers it, as in Caddy. Indexed, because
 * thousands of sites may each have a policy, or share one.
 * @param patternsOf null for a policy that covers all names
 */
function policiesBy(
  policies: readonly Json[],
  patternsOf: (policy: Json) => readonly Json[] | null,
): PolicyFinder {
  const exact = new Map<string, number>();
  const wild: { labels: readonly string[]; index: number }[] = [];
  let rest = policies.length;
  for (const [index, policy] of policies.entries()) {
    const patterns = patternsOf(policy);
    if (patterns === null) {
      rest = index;
      break;
    }
    for (const pattern of new Set(patterns.map((one) => nameOf(String(one))))) {
      if (pattern.includes('*')) wild.push({ labels: pattern.split('.'), index });
      else if (!exact.has(pattern)) exact.set(pattern, index);
    }
  }
  return (name) => {
    const labels = name.split('.');
    const own = exact.get(name) ?? rest;
    const first = wild.find((one) => matches(one.labels, labels))?.index ?? rest;
    return policies[Math.min(own, first)];
  };
}

/** Whether a pattern such as `*.example` matches a name, label by label. */
export function covers(pattern: string, name: string): boolean {
  return matches(nameOf(pattern).split('.'), name.split('.'));
}

/** The same for names that are already split into labels. */
export const matches = (pattern: readonly string[], labels: readonly string[]): boolean =>
  labels.length === pattern.length &&
  pattern.every((label, index) => label === '*' || label === labels[index]);

/** Who signs the certificates of a name. `default`: its policy does not say, so Caddy decides by the name. */
type PolicyAuthority = Authority | 'default';

/** The ACME directories of public authorities, by the end of their host names. */
const PUBLIC = ['letsencrypt.org', 'zerossl.com', 'pki.goog', 'buypass.com', 'ssl.com'];

/** @param policy the name's automation policy, if it has one */
export function authorityOf(policy: Json | undefined): PolicyAuthority {
  if (field(policy, 'get_certificate') !== undefined) return 'other';
  const issuers = list(field(policy, 'issuers'));
  const modules = new Set(issuers.map((issuer) => field(issuer, 'module')));
  if (issuers.length === 0) return 'default';
  if (modules.size === 1 && modules.has('internal')) return 'internal';
  return issuers.every(isPublic) ? 'public' : 'other';
}

/** Whether it uses the DNS challenge. */
export const usesDns = (policy: Json | undefined): boolean =>
  list(field(policy, 'issuers')).some((issuer) => field(issuer, 'challenges', 'dns') !== undefined);

function isPublic(issuer: Json): boolean {
  const module = field(issuer, 'module');
  const directory = field(issuer, 'ca');
  if (module === 'zerossl') return true;
  if (module !== 'acme') return false;
  if (directory === undefined || directory === '') return true;
  const host = URL.parse(String(directory))?.hostname ?? '';
  return PUBLIC.some((name) => host === name || host.endsWith(`.${name}`));
}
