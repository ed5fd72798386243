/** What of a site's routes says what a stranger should ask for. Pure. */
import {
  field,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
} from '../../../src/shared/json.ts';
import { ownListeners } from '../../caddy/ports/ports.ts';
import { nameOf, namesOf } from '../../sites/live-sites.ts';
import { networksIn } from '../../sites/networks.ts';
import { finderOf } from '../replay/config/hosts.ts';

export type Lure = {
  method: string;
  path: string;
  /** Lines of the request. */
  headers: readonly string[];
};

export type Site = {
  server: JsonObject;
  /** By which it tells visitors apart. */
  networks: readonly string[];
  /** Whether it serves files. */
  hasFiles: boolean;
  /** Whether it has routes for what a sign-in service answers. */
  hasAnswers: boolean;
  /** Requests that its rules name: by a path, a method, a header or a query. */
  lures: readonly Lure[];
  /** Its rules of which nobody can tell for certain what they match. */
  unknown: readonly string[];
};

const MOST_LURES = 60;
/** Requests that are no visit of somebody who wants to see something. */
const HARMLESS = ['GET', 'HEAD', 'OPTIONS', 'CONNECT'];
/** They say where a request ends, and whose it is. */
const OWN_HEADERS = ['content-length', 'transfer-encoding', 'host', 'authorization', 'cookie'];
const REGULAR = ['path_regexp', 'header_regexp', 'expression', 'vars', 'vars_regexp'];
/** What is known of a stranger: no certificate (certificates.ts), the host, and no error before. */
const KNOWN =
  /\{http\.(?:vars\.signalbox_no_\w+|request\.host|request\.orig_uri|error\.\w+|reverse_proxy\.[\w.-]+)\}/g;
/** What else a condition in CEL may go by. */
const OTHERS = /\{|\b(?:path|header|query|method|protocol|file|vars|remote_ip|client_ip|host)\w*\(/;

/** @param config as adapted @returns what finds a site by its address; null if Caddy has none */
export function sitesIn(config: JsonObject): (name: string, port: number) => Site | null {
  const servers = Object.values(object(field(config, 'apps', 'http', 'servers'))).map(object);
  const known = servers.map((server) => ({
    server,
    ports: ownListeners(server).map(({ port }) => port),
    routesFor: finderOf(list(server.routes).map((json) => ({ names: namesOf(json), json }))),
  }));
  return (name, port) => {
    const here = known.filter(({ ports }) => ports.includes(port));
    for (const { server, routesFor } of here) {
      const own: Json[] = routesFor(nameOf(name)).map(({ json }) => json);
      if (own.length > 0) return siteOf(own, server);
    }
    return null;
  };
}

function siteOf(own: readonly Json[], server: JsonObject): Site {
  const text = JSON.stringify(own);
  const invoked = text.includes('"handler":"invoke"') ? [server.named_routes ?? null] : [];
  const routes: Json = [...own, ...invoked, field(server, 'errors', 'routes') ?? null];
  const sets = matchersIn(routes);
  return {
    server,
    networks: networksIn(routes),
    hasFiles: JSON.stringify(routes).includes('"handler":"file_server"'),
    hasAnswers: text.includes('"handle_response"'),
    lures: luresOf(sets).slice(0, MOST_LURES),
    unknown: [...new Set(sets.flatMap(unknownIn))],
  };
}

/** All sets of matchers, those within `not` as well. */
function matchersIn(value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(matchersIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const sets = key === 'match' || key === 'not' ? list(one).filter(isObject) : [];
    return [...sets, ...matchersIn(one)];
  });
}

/** Requests for each path that the sets name, with each method, and once more with what each set wants besides. */
function luresOf(sets: readonly JsonObject[]): Lure[] {
  const named = (key: string) => sets.flatMap((set) => list(set[key]).map(String));
  const paths = new Set(['/', ...named('path').map(pathFor)]);
  const methods = new Set(['GET', ...named('method').filter((one) => !HARMLESS.includes(one))]);
  const extras = [{ headers: [], query: '' }, ...sets.flatMap(extrasOf)];
  return extras.flatMap(({ headers, query }) =>
    [...paths].flatMap((path) =>
      [...methods].map((method) => ({ method, path: `${path}${query}`, headers })),
    ),
  );
}

/** The headers and the query that a set wants, as far as it names them. */
function extrasOf(set: JsonObject): { headers: string[]; query: string }[] {
  const firstOf = (values: Json) => list(values).map(String).at(0)?.replaceAll('*', '');
  const headers = Object.entries(object(set.header)).flatMap(([name, values]) => {
    const value = firstOf(values);
    const isOwn = OWN_HEADERS.includes(name.toLowerCase());
    return value === undefined || isOwn ? [] : [`${name}: ${value}`];
  });
  const query = Object.entries(object(set.query)).map(
    ([name, values]) => `${encodeURIComponent(name)}=${encodeURIComponent(firstOf(values) ?? '')}`,
  );
  const isNone = headers.length + query.length === 0;
  if (isNone || headers.some((line) => /[\0\r\n]/.test(line))) return [];
  return [{ headers, query: query.length > 0 ? `?${query.join('&')}` : '' }];
}

/** A path that a pattern of the matcher `path` matches. */
function pathFor(pattern: string): string {
  const path = pattern.replaceAll('*', 'x');
  const written = encodeURI(path.startsWith('/') ? path : `/${path}`);
  return pattern.endsWith('/*') ? written.slice(0, -1) : written;
}

/** The matchers of a set that go by regular expressions or CEL. */
const unknownIn = (set: JsonObject): string[] =>
  Object.entries(set).flatMap(([name, value]) => {
    if (!REGULAR.includes(name)) return [];
    const isText = name === 'expression';
    const said = isText ? [String(field(value, 'expr') ?? value)] : Object.keys(object(value));
    const isKnown = isText || name.startsWith('vars');
    return isKnown && said.every((one) => !OTHERS.test(one.replace(KNOWN, ''))) ? [] : [name];
  });
