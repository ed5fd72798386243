/** What a stranger should ask a site for: all that its rules name. Pure. */
import { isObject, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';

export type Lure = {
  method: string;
  path: string;
  /** Lines of the request. */
  headers: readonly string[];
};

/** More of a site are not asked for. */
export const MOST_LURES = 60;
/** Requests that are no visit of somebody who wants to see something. */
const HARMLESS = ['GET', 'HEAD', 'OPTIONS', 'CONNECT'];
/** Where rules name GET, one of them stands for those that they do not. */
const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE', 'REPORT'];
/** They say where a request ends, and whose it is. */
const OWN_HEADERS = ['content-length', 'transfer-encoding', 'host'];

type Extra = { headers: readonly string[]; query: readonly string[] };

/** Requests for each path that the routes name, with each method, and once more with what each rule wants besides. */
export function luresOf(routes: readonly Json[]): Lure[] {
  const sets = matchersIn([...routes]);
  const paths = pathsOf(routes);
  const methods = methodsOf(sets);
  return [{ headers: [], query: [] }, ...withAll(extrasOf(sets))].flatMap(({ headers, query }) =>
    paths.flatMap((path) =>
      methods.map((method) => ({
        method,
        path: query.length > 0 ? `${path}?${query.join('&')}` : path,
        headers,
      })),
    ),
  );
}

/** All sets of matchers, those within `not` as well. */
export function matchersIn(value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(matchersIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const sets = key === 'match' || key === 'not' ? list(one).filter(isObject) : [];
    return [...sets, ...matchersIn(one)];
  });
}

function methodsOf(sets: readonly JsonObject[]): string[] {
  const named = sets.flatMap((set) => list(set.method).map(String));
  const other = named.includes('GET') ? OTHERS.filter((one) => !named.includes(one)) : [];
  return [
    ...new Set(['GET', ...named.filter((one) => !HARMLESS.includes(one)), ...other.slice(0, 1)]),
  ];
}

/** Those that the patterns of routes match, also two at once, as a visitor writes them. */
function pathsOf(routes: readonly Json[]): string[] {
  const patterns = [...new Set(patternsIn(routes, ['']))];
  const starts = patterns.filter((one) => one.endsWith('*'));
  const ends = patterns.filter((one) => one.startsWith('*'));
  const both = starts.flatMap((start) => ends.map((end) => `${start.slice(0, -1)}x${end}`));
  return [...new Set(['/', ...[...patterns, ...both].map(pathFor)])];
}

/** @param stripped what may have been taken from the beginning of the path before; empty: nothing */
function patternsIn(routes: readonly Json[], stripped: readonly string[]): string[] {
  let before = stripped;
  return routes.flatMap((route) => {
    const { match = null, handle } = object(route);
    const named = matchersIn({ match }).flatMap(({ path }) => list(path).map(String));
    const own = before.flatMap((one) => named.map((pattern) => joined(one, pattern)));
    const inner = list(handle)
      .map(object)
      .flatMap((handler) => {
        const { strip_path_prefix: prefix } = handler;
        if (typeof prefix === 'string') before = [...before, ...before.map((one) => one + prefix)];
        const responses = list(handler.handle_response).map(object);
        return [handler, object(handler.errors), ...responses].flatMap(({ routes }) =>
          patternsIn(list(routes), before),
        );
      });
    return [...own, ...inner];
  });
}

const joined = (stripped: string, pattern: string): string =>
  stripped !== '' && !/^[/*]/.test(pattern) ? `${stripped}/${pattern}` : `${stripped}${pattern}`;

/** A path that a pattern of the matcher `path` matches. */
function pathFor(pattern: string): string {
  const path = pattern.replaceAll('*', 'x');
  const written = encodeURI(path.startsWith('/') ? path : `/${path}`);
  return pattern.endsWith('/*') ? written.slice(0, -1) : written;
}

/** What sets of matchers want besides method and path, as far as they name it. */
export const extrasOf = (sets: readonly JsonObject[]): Extra[] => {
  const all = sets.map(extraOf).filter(({ headers, query }) => headers.length + query.length > 0);
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
};

/** With all at once, as a request may have to match several. */
const withAll = (extras: readonly Extra[]): readonly Extra[] =>
  extras.length < 2
    ? extras
    : [
        ...extras,
        {
          headers: extras.flatMap(({ headers }) => headers),
          query: extras.flatMap(({ query }) => query),
        },
      ];

function extraOf({ header = null, query = null, protocol }: JsonObject): Extra {
  const firstOf = (values: Json) => list(values).map(String).at(0)?.replaceAll('*', '');
  const headers = Object.entries(object(header)).flatMap(([name, values]) => {
    // Without a value, the header must be missing; the rule may also be turned around.
    const line = `${name}: ${firstOf(values) ?? 'x'}`;
    return OWN_HEADERS.includes(name.toLowerCase()) || /[\0\r\n]/.test(line) ? [] : [line];
  });
  const grpc = protocol === 'grpc' ? ['Content-Type: application/grpc'] : [];
  return {
    headers: [...headers, ...grpc],
    query: Object.entries(object(query)).map(
      ([name, values]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(firstOf(values) ?? '')}`,
    ),
  };
}
