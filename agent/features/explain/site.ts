/** One site of an adapted configuration: where it listens, and what it forwards to. Pure. */
import { field, type Json, list, object } from '../../../src/shared/json.ts';
import { listenersOf } from '../../caddy/ports/ports.ts';
import { isAny, type Place } from '../../sites/checks/ask.ts';
import { placesIn } from '../../sites/checks/checks.ts';
import { isOwnAddress } from '../../sites/handshake.ts';
import { covers, type LiveSite, liveSites, nameOf, namesOf } from '../../sites/live-sites.ts';
import { type Dial, upstreamsOf } from '../../sites/live-upstreams.ts';
import { networksIn } from '../../sites/networks.ts';

/** What Caddy speaks to an upstream; `other`: no HTTP, or nothing that the agent could say. */
type Wanted = 'http' | 'https' | 'h2c' | 'other';

/** An upstream of the site. `dial` is null if only Caddy knows where it is; then `unknown` says why. */
export type SiteUpstream = {
  address: string;
  dial: Dial['place'] | null;
  /** The server name for a handshake, empty for none. */
  serverName: string;
  wanted: Wanted;
  /** Whether Caddy verifies its certificate. */
  verified: boolean;
  signIn: boolean;
  spared: boolean;
  /** The `Host` that it gets; null: that of the visitor. */
  host: string | null;
  unknown: string | null;
};

export type Site = {
  /** Null if Caddy has none of this name and port. */
  place: Place | null;
  upstreams: readonly SiteUpstream[];
  /** Those by which it tells visitors apart. */
  networks: readonly string[];
  /** All sites of the configuration, for what leads to another one. */
  sites: readonly LiveSite[];
};

/** More upstreams of a site are not looked at. */
const MOST_UPSTREAMS = 8;

/** @param adapted the configuration as Caddy has it */
export function siteIn(adapted: Json, name: string, port: number): Site {
  const sites = liveSites(adapted);
  const placed = placesIn(sites)({ name, port, check: null });
  const place = typeof placed === 'string' ? null : placed;
  const servers = Object.values(object(field(adapted, 'apps', 'http', 'servers')));
  const own = servers.filter((server) =>
    listenersOf({ apps: { http: { servers: { one: server } } } }).some((one) => one.port === port),
  );
  const routes = own.flatMap((server) =>
    list(field(server, 'routes')).filter((route) => namesOf(route).has(nameOf(name))),
  );
  const invoked = own.map((server) => field(server, 'named_routes') ?? null);
  const all = uses(routes, 'invoke') ? [...routes, ...invoked] : routes;
  const upstreams = handlersIn(all, 'reverse_proxy').flatMap(upstreamsIn);
  const distinct = new Map(upstreams.map((one) => [`${one.signIn} ${one.address}`, one]));
  return {
    place,
    upstreams: [...distinct.values()].slice(0, MOST_UPSTREAMS),
    networks: networksIn(all),
    sites,
  };
}

/** All handlers of a kind, however deep they are. */
function handlersIn(value: Json, kind: string): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((one) => handlersIn(one, kind));
  return field(value, 'handler') === kind ? [value, ...inside] : inside;
}

const uses = (value: Json, kind: string): boolean => handlersIn(value, kind).length > 0;

/** Those of one `reverse_proxy`. */
function upstreamsIn(handler: Json): SiteUpstream[] {
  const transport = field(handler, 'transport');
  const wanted = wantedBy(transport);
  const balancing = field(handler, 'load_balancing');
  const hosts = field(handler, 'headers', 'request', 'set', 'Host');
  const host = list(hosts).map(String).at(0) ?? null;
  return upstreamsOf({ ...object(handler), handle_response: null }).upstreams.map((one) => ({
    address: one.address,
    dial: one.dial?.place ?? null,
    serverName: one.dial?.tls ?? '',
    // Without a name to ask for, the handshake would not be like Caddy's.
    wanted: wanted === 'https' && one.dial?.tls === null ? 'other' : wanted,
    verified: field(transport, 'tls', 'insecure_skip_verify') !== true,
    signIn: asksWho(handler),
    spared: one.checked || field(balancing, 'try_duration') !== undefined,
    host,
    unknown: one.unknown,
  }));
}

function wantedBy(transport: Json | undefined): Wanted {
  if ((field(transport, 'protocol') ?? 'http') !== 'http') return 'other';
  if (field(transport, 'proxy_protocol') !== undefined) return 'other';
  if (isThere(field(transport, 'tls'))) return 'https';
  return list(field(transport, 'versions')).includes('h2c') ? 'h2c' : 'http';
}

const isThere = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** Whether it is what `forward_auth` makes: the request goes on only if the answer is a success. */
export function asksWho(handler: Json): boolean {
  const codes = list(field(handler, 'handle_response')).flatMap((one) =>
    list(field(one, 'match', 'status_code')),
  );
  return codes.includes(2) && field(handler, 'rewrite', 'method') === 'GET';
}

/**
 * The other site that answers if an upstream is a port of this Caddy; `loop` if the request comes back to the site, or
 * nothing but a redirect is there; null if it is no port of this Caddy.
 * @param adapted the configuration
 */
export function ownPort(
  { dial, host }: Pick<SiteUpstream, 'dial' | 'host'>,
  { sites, place }: Pick<Site, 'sites' | 'place'>,
  adapted: Json,
): { name: string; port: number } | 'loop' | null {
  if (dial === null || 'path' in dial || place === null) return null;
  const own = ['localhost', ''].includes(dial.host) || isOwnAddress(dial.host);
  const here = listenersOf(adapted).filter(
    (one) => one.port === dial.port && (isAny(one.host) || isAny(dial.host) || own),
  );
  if (!own || here.length === 0) return null;
  const hostName = host === null ? place.name : hostIn(host, dial);
  const answering = sites.filter(({ name, ports }) => {
    const isHere = ports.includes(dial.port);
    return (
      isHere && (name === '' || name === hostName || (name.includes('*') && covers(name, hostName)))
    );
  });
  const isSame = (one: LiveSite) => one.name === place.name && one.ports.includes(place.port);
  const [first] = answering.toSorted((a, b) => rank(a) - rank(b));
  return first && !answering.some(isSame) ? { name: first.name, port: dial.port } : 'loop';
}

/** Caddy takes the site of the very name before one with a wildcard, and that before one for any. */
const rank = ({ name }: LiveSite): number => (name === '' ? 2 : Number(name.includes('*')));

/** The name that stands in a `Host`; placeholders of the upstream's own address are filled in. */
function hostIn(host: string, dial: { host: string; port: number }): string {
  const isOwn = /\{(?:http\.reverse_proxy\.)?upstream[._](?:hostport|host)\}/.test(host);
  return nameOf(isOwn ? dial.host : host);
}
