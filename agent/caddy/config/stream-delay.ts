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
 * The delay for the next load: short once there were many within a day. Every call counts as a load.
 * @param elapsed milliseconds on a clock that nobody sets
 */
export function createStreamDelay(elapsed: () => number): () => string {
  let loads: number[] = [];

  return () => {
    const now = elapsed();
    const recent = loads.filter((at) => now - at < WINDOW_MS);
    loads = [...recent.slice(-MOST_LONG), now];
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
  const errors = object(server.errors);
  const guarded = guardedHosts(server);
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

/** The hosts of the sites of a server that may refuse a visitor; an empty one for a site of all hosts. */
export function guardedHosts(server: JsonObject): ReadonlySet<string> {
  // Who gets in depends on the connection, not on a route.
  const asks = (policy: Json) => object(policy).client_authentication !== undefined;
  const isGuarded = list(server.tls_connection_policies).some(asks);
  const pages = list(object(server.errors).routes).filter(
    (site) => isGuarded || mayRefuse(site, 'answer'),
  );
  const sites = list(server.routes).filter((site) => isGuarded || mayRefuse(site));
  return new Set([...sites, ...pages].flatMap(hostsOf));
}

/** The hosts of a site's route; an empty one for a site of all hosts. */
export function hostsOf(route: Json): string[] {
  const hosts = list(object(route).match).flatMap((match) => list(object(match).host).map(String));
  return hosts.length === 0 ? [''] : hosts;
}

/** Handlers that let only some visitors in. What `invoke` leads to may be one. */
const GUARDS: readonly Json[] = ['authentication', 'invoke'];

/**
 * What must hold for a handler to run: nothing; something that is the same for all visitors, such as the path;
 * something that may tell them apart; or an answer of an upstream, or an error, that is replaced.
 */
type Condition = 'nothing' | 'request' | 'visitor' | 'answer';

/**
 * Whether a site turns some visitors away, or all of them, or has upstreams only for some; not if it only lacks
 * some paths. What a redirect leads to is another site, or a sign-in.
 */
const mayRefuse = (site: Json, condition: Condition = 'nothing'): boolean =>
  routesRefuse([site], condition, isOfAddress);

/** Whether a route, at the top, is that of a site with an address, which is all that its matcher says. */
const isOfAddress = (route: Json): boolean =>
  object(route).terminal === true ||
  list(object(route).match).some((match) => object(match).host !== undefined);

/** @param isWhole whether a route is all of a site, whatever its matcher */
function routesRefuse(
  routes: readonly Json[],
  within: Condition,
  isWhole: (route: Json) => boolean = () => false,
): boolean {
  return routes.some((route) => {
    const own = isWhole(route) ? 'nothing' : conditionOf(route, routes);
    const condition = stricter(within, own);
    return list(object(route).handle).some((handler) => handlerRefuses(object(handler), condition));
  });
}

function handlerRefuses(handler: JsonObject, condition: Condition): boolean {
  const { handler: name = null, routes, handle_response: responses, rewrite } = handler;
  if (GUARDS.includes(name)) return true;
  // That is how Caddy writes `forward_auth`.
  if (rewrite !== undefined && responses !== undefined) return true;
  // A placeholder may stand for any status.
  const isRefusal =
    name === 'error' || handler.abort === true || !(Number(handler.status_code ?? 200) < 300);
  if (isRefusal && condition !== 'request') return true;
  if (name === 'reverse_proxy' && condition === 'visitor') return true;
  return (
    routesRefuse(list(routes), condition) ||
    // What the upstream says may depend on the visitor.
    list(responses).some((response) => routesRefuse(list(object(response).routes), 'answer'))
  );
}

const STRICTNESS: readonly Condition[] = ['nothing', 'request', 'visitor', 'answer'];
const stricter = (one: Condition, other: Condition): Condition =>
  STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other;

/** A route without a matcher runs if no other of its group does, as the last `handle` of a site. */
function conditionOf(route: Json, siblings: readonly Json[]): Condition {
  const { match, group } = object(route);
  if (match !== undefined) return conditionIn(match);
  if (group === undefined) return 'nothing';
  return siblings
    .filter((other) => object(other).group === group && object(other).match !== undefined)
    .map((other) => conditionIn(object(other).match))
    .reduce(stricter, 'nothing');
}

/** Matchers that are the same for all visitors. */
const IMPERSONAL: readonly string[] =
  'host path path_regexp url_pattern method protocol file'.split(' ');
/** Headers that say what a request is for, and those of robots, which say who they are. */
const IMPERSONAL_HEADERS: readonly string[] = ['connection', 'upgrade', 'user-agent'];

/** @param sets of matchers, as a route has them */
function conditionIn(sets: Json | undefined): Condition {
  const isImpersonal = ([name, value]: [string, Json]): boolean => {
    if (name === 'not') return conditionIn(value) !== 'visitor';
    if (name === 'header' || name === 'header_regexp') {
      return Object.keys(object(value)).every((one) =>
        IMPERSONAL_HEADERS.includes(one.toLowerCase()),
      );
    }
    return IMPERSONAL.includes(name);
  };
  const all = list(sets).flatMap((set) => Object.entries(object(set)) as [string, Json][]);
  return all.every(isImpersonal) ? 'request' : 'visitor';
}

function withDelay(value: Json, delay: string): Json {
  if (Array.isArray(value)) return value.map((item) => withDelay(item, delay));
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) copy[name] = withDelay(member, delay);
  return value.handler === 'reverse_proxy' ? { stream_close_delay: delay, ...copy } : copy;
}
