/**
 * Lets websockets outlive a load. Caddy closes them with the configuration that they came through, unless
 * their `reverse_proxy` has a `stream_close_delay`, which it has known since 2.7.
 */
import { type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';

/** By then a browser has slept, and connects again by itself. */
const LONG = '24h';
/** Long enough for a series of changes to close a websocket once. */
const SHORT = '10m';
/**
 * Caddy keeps a configuration in memory for as long as a websocket hangs on it, about 2 MiB at 200 sites
 * (`bun run bench streams`).
 */
const MOST_LONG = 20;
const WINDOW_MS = 24 * 3_600_000;

/**
 * The delay for the next load: short once there were many within a day; null for a Caddy that knows none.
 * Every call counts as a load.
 * @param knows whether the running Caddy has the option
 * @param elapsed milliseconds on a clock that nobody sets
 */
export function createStreamDelay(
  knows: () => Promise<boolean>,
  elapsed: () => number,
): () => Promise<string | null> {
  let loads: number[] = [];

  return async () => {
    const now = elapsed();
    const recent = loads.filter((at) => now - at < WINDOW_MS);
    loads = [...recent.slice(-MOST_LONG), now];
    if (!(await knows())) return null;
    return recent.length < MOST_LONG ? LONG : SHORT;
  };
}

/**
 * Gives the delay to every `reverse_proxy` of a server that has none of its own, except in sites that may
 * refuse a visitor, by a policy or by their own config: the websocket of somebody who was shut out is to end.
 * Pure.
 * @param server as adapted
 */
export function withStreamDelay(server: JsonObject, delay: string): JsonObject {
  // Who gets in depends on the connection, not on a route.
  const asks = (policy: Json) => object(policy).client_authentication !== undefined;
  if (list(server.tls_connection_policies).some(asks)) return server;

  const errors = object(server.errors);
  const all = [...list(server.routes), ...list(errors.routes)];
  const guarded = new Set(all.filter(mayRefuse).flatMap(hostsOf));
  const delayed = (routes: Json | undefined): Json[] =>
    list(routes).map((route) =>
      hostsOf(route).some((host) => guarded.has(host)) ? route : withDelay(route, delay),
    );
  return {
    ...server,
    ...(server.routes !== undefined && { routes: delayed(server.routes) }),
    ...(errors.routes !== undefined && { errors: { ...errors, routes: delayed(errors.routes) } }),
  };
}

/** The hosts of a site's route; an empty one for a site of all hosts. */
function hostsOf(route: Json): string[] {
  const hosts = list(object(route).match).flatMap((match) => list(object(match).host).map(String));
  return hosts.length === 0 ? [''] : hosts;
}

/** Handlers that let only some visitors in. What `invoke` leads to may be one. */
const GUARDS: readonly Json[] = ['authentication', 'error', 'invoke'];

function mayRefuse(value: Json): boolean {
  if (Array.isArray(value)) return value.some(mayRefuse);
  if (typeof value !== 'object' || value === null) return false;
  const { handler = null, abort, status_code: status = 200, rewrite, handle_response } = value;
  if (handler !== null) {
    if (GUARDS.includes(handler) || abort === true) return true;
    // A placeholder may stand for any status.
    if (!(Number(status) < 400)) return true;
    // That is how Caddy writes `forward_auth`.
    if (rewrite !== undefined && handle_response !== undefined) return true;
  }
  return Object.values(value).some(mayRefuse);
}

function withDelay(value: Json, delay: string): Json {
  if (Array.isArray(value)) return value.map((item) => withDelay(item, delay));
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) copy[name] = withDelay(member, delay);
  return value.handler === 'reverse_proxy' ? { stream_close_delay: delay, ...copy } : copy;
}
