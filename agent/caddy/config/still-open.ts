/**
 * Which connections outlive a load although their site has gone, or may refuse a visitor now: websockets stay
 * open for their `stream_close_delay`, which cannot be shortened any more. Pure.
 */
import {
  field,
  type Json,
  type JsonObject,
  list,
  object,
  parseJson,
} from '../../../src/shared/json.ts';
import type { StillOpen } from '../../../src/shared/wire/proxy.ts';
import { guardedHosts, hostsOf } from './stream-delay.ts';

/** Enough to say so: an operator does not read more. */
const MOST = 100;

/** How many requests are open to each upstream, of those that have any. @param upstreams as Caddy says */
function openRequests(upstreams: string): ReadonlyMap<string, number> {
  const all = list(JSON.parse(upstreams) as Json).map((one) => {
    const requests = Number(field(one, 'num_requests')) || 0;
    return [String(field(one, 'address') ?? ''), requests] as const;
  });
  return new Map(all.filter(([, requests]) => requests > 0));
}

/**
 * What stays open of the sites that are gone, or guarded only now. Caddy counts by upstream: of two sites
 * with one upstream, it does not say whose connections they are.
 * @param previous the live configuration, as JSON text
 * @param next the one that replaces it, as adapted
 * @param upstreams as Caddy says, with their open requests
 */
export function stillOpen(previous: string, next: JsonObject, upstreams: string): StillOpen[] {
  const requests = openRequests(upstreams);
  if (requests.size === 0) return [];
  const [before, after] = [sitesOf(parseJson(previous)), sitesOf(next)];
  const found = new Map<string, StillOpen>();
  for (const route of before.routes) {
    const upstreams = new Set(delayedUpstreams(route));
    for (const host of hostsOf(route)) {
      const isGone = !after.hosts.has(host);
      const isGuarded = after.guarded.has(host) && !before.guarded.has(host);
      if (!isGone && !isGuarded) continue;
      for (const upstream of upstreams) {
        const open = requests.get(upstream);
        if (open) found.set(`${host} ${upstream}`, { host, upstream, requests: open });
      }
    }
  }
  return [...found.values()].slice(0, MOST);
}

function sitesOf(config: Json) {
  const servers = Object.values(object(field(config, 'apps', 'http', 'servers'))).map(object);
  const routes = servers.flatMap((server) => list(server.routes));
  return {
    routes,
    hosts: new Set(routes.flatMap(hostsOf)),
    guarded: new Set(servers.flatMap((server) => [...guardedHosts(server)])),
  };
}

/** The addresses behind each `reverse_proxy` whose websockets outlive a load. */
function delayedUpstreams(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(delayedUpstreams);
  if (typeof value !== 'object' || value === null) return [];
  const isDelayed = value.handler === 'reverse_proxy' && value.stream_close_delay !== undefined;
  const own = isDelayed ? list(value.upstreams).map((one) => String(field(one, 'dial'))) : [];
  return [...own, ...Object.values(value).flatMap(delayedUpstreams)];
}
