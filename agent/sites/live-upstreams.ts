/** The upstreams of a route in a live configuration of Caddy, and how to dial them. Pure. */
import { field, type Json, list, object } from '../../src/shared/json.ts';
import { memoize } from '../../src/shared/memoize.ts';

/** Where Caddy connects to: a TCP address, or the path of a socket (`@…`: an abstract one). */
export type Dial = {
  place: { host: string; port: number } | { path: string };
  /** The server name to ask for, empty for none; null: only connect. */
  tls: string | null;
};

export type LiveUpstream = {
  /** As in the configuration; may contain placeholders. */
  address: string;
  /** Whether Caddy checks its health. */
  checked: boolean;
} & ({ dial: Dial; unknown: null } | { dial: null; unknown: string });

/** Handlers that leave the response to a later one. */
const PASSING = ['encode', 'headers', 'log_append', 'map', 'rewrite', 'subroute', 'vars'];

/** All upstreams of a route, and whether nothing else in it can answer a request. */
export function upstreamsOf(route: Json): { upstreams: LiveUpstream[]; alone: boolean } {
  const upstreams: LiveUpstream[] = [];
  let alone = true;
  const left: Json[] = [route];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const handler = field(value, 'handler');
    if (handler === 'reverse_proxy') {
      upstreams.push(...ofHandler(value));
      if (field(value, 'handle_response') !== undefined) alone = false;
    } else if (handler !== undefined && !PASSING.includes(String(handler))) alone = false;
    left.push(...Object.values(value).toReversed());
  }
  return { upstreams, alone };
}

function ofHandler(handler: Json): LiveUpstream[] {
  const health = field(handler, 'health_checks');
  const checked =
    field(health, 'active') !== undefined ||
    Number(field(health, 'passive', 'fail_duration') ?? 0) > 0;
  const transport = field(handler, 'transport');
  const fixed = list(field(handler, 'upstreams')).flatMap((upstream): LiveUpstream[] => {
    const address = field(upstream, 'dial');
    if (typeof address === 'string') return [{ address, checked, ...dialOf(address, transport) }];
    const service = field(upstream, 'lookup_srv');
    return typeof service === 'string' ? [looked(`srv ${service}`)] : [];
  });
  const dynamic = field(handler, 'dynamic_upstreams');
  return dynamic === undefined ? fixed : [...fixed, looked(describe(dynamic))];
}

/** An upstream that Caddy looks up for each request. */
const looked = (address: string): LiveUpstream => ({
  address,
  checked: false,
  dial: null,
  unknown: 'Caddy looks up the addresses of this upstream itself.',
});

/** As in a Caddyfile: `a app.example 80`, `srv _http._tcp.example`, `multi`. */
function describe(source: Json): string {
  const { service, proto, name, port, ...rest } = object(source);
  const record = service === undefined ? [] : [`_${service}._${proto}`];
  const words = [rest.source, [...record, name ?? []].flat().join('.'), port];
  return words.filter(Boolean).join(' ');
}

type How = { dial: Dial; unknown: null } | { dial: null; unknown: string };
const unknown = (why: string): How => ({ dial: null, unknown: why });

function dialOf(address: string, transport: Json | undefined): How {
  if (address.includes('{')) return unknown('The address depends on a placeholder.');
  if (field(transport, 'network_proxy') ?? field(transport, 'forward_proxy_url')) {
    return unknown('Caddy reaches this upstream through another proxy.');
  }
  if (list(field(transport, 'versions')).join() === '3') return unknown(OVER_UDP);
  const [, network = 'tcp', rest = address] = /^([a-z0-9+]+)\/(.*)$/s.exec(address) ?? [];
  if (network === 'unix') return { dial: { place: { path: rest }, tls: null }, unknown: null };
  if (network.startsWith('udp')) return unknown(OVER_UDP);
  const [, bracketed, plain = '', digits] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(rest) ?? [];
  const [host, port] = [bracketed ?? (plain || 'localhost'), Number(digits)];
  if (!/^tcp[46]?$/.test(network) || !(port > 0 && port < 65_536)) {
    return unknown('The agent cannot read this address.');
  }
  if (field(transport, 'resolver') !== undefined && !isLiteral(host)) {
    return unknown('Caddy resolves this name with its own resolvers.');
  }
  return { dial: { place: { host, port }, tls: serverName(host, transport) }, unknown: null };
}

const OVER_UDP = 'Caddy reaches this upstream over UDP.';

const isLiteral = (host: string): boolean => /^[\d.]+$|:/.test(host);

/** Null if a handshake would not be like Caddy's: with a certificate, say, or none at all. */
function serverName(host: string, transport: Json | undefined): string | null {
  const tls = field(transport, 'tls');
  if (tls === undefined || tls === null || field(transport, 'proxy_protocol')) return null;
  if (field(tls, 'client_certificate_file') ?? field(tls, 'client_certificate_automate')) {
    return null;
  }
  const name = field(tls, 'server_name') ?? (isLiteral(host) ? '' : host);
  return typeof name === 'string' && !name.includes('{') ? name : null;
}

/** The same for dials that are the same. */
export const keyOfDial = memoize((dial: Dial): string => JSON.stringify(dial));
