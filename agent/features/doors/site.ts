/** What of a site's routes says what a stranger should ask for. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { ownListeners } from '../../caddy/ports/ports.ts';
import { nameOf, namesOf } from '../../sites/live-sites.ts';
import { networksIn } from '../../sites/networks.ts';
import { finderOf } from '../replay/config/hosts.ts';
import { type Lure, luresOf, MOST_LURES, matchersIn } from './lures.ts';
import { reachedBy } from './reached.ts';
import { mayHoldStrangers } from './strangers.ts';
import { unknownIn } from './unknown.ts';

export type Site = {
  server: JsonObject;
  /** Its first route, which no other site has. */
  own: Json;
  /** By which it tells visitors apart. */
  networks: readonly string[];
  /** The hosts that its rules name, its own as well. */
  hosts: readonly string[];
  /** Whether it serves files, and whether strangers may come to them. */
  hasFiles: boolean;
  hasOpenFiles: boolean;
  /** Whether it has routes for what a sign-in service answers. */
  hasAnswers: boolean;
  /** Requests that its rules name: by a path, a method, a header or a query. */
  lures: readonly Lure[];
  /** Its rules of which nobody can tell for certain what they match. */
  unknown: readonly string[];
};

const FILES = '"handler":"file_server"';

/** @param config as adapted @returns what finds a site by its address; null if Caddy has none */
export function sitesIn(config: JsonObject): (name: string, port: number) => Site | null {
  const servers = Object.values(object(field(config, 'apps', 'http', 'servers'))).map(object);
  const known = servers.map((server) => ({
    server,
    ports: ownListeners(server).map(({ port }) => port),
    routesFor: finderIn(server.routes),
    errorsFor: finderIn(field(server, 'errors', 'routes')),
  }));
  return (name, port) => {
    const here = known.filter(({ ports }) => ports.includes(port));
    for (const { server, routesFor, errorsFor } of here) {
      const own = routesFor(name);
      if (own.length > 0) return siteOf(own, errorsFor(name), server);
    }
    return null;
  };
}

function finderIn(routes: Json | undefined): (name: string) => Json[] {
  const find = finderOf(list(routes).map((json) => ({ names: namesOf(json), json })));
  return (name) => find(nameOf(name)).map(({ json }) => json);
}

function siteOf(own: readonly Json[], errors: readonly Json[], server: JsonObject): Site {
  const isInvoking = JSON.stringify(own).includes('"handler":"invoke"');
  const invoked = isInvoking ? Object.values(object(server.named_routes)) : [];
  const all = [...own, ...invoked, ...errors];
  const reached = [own, invoked, errors].flatMap(reachedBy);
  const text = JSON.stringify(reached);
  const networks = networksIn(all);
  const lures = luresOf(reached);
  const unknown = unknownIn(reached, lures.length);
  const isTrusting = list(field(server, 'trusted_proxies', 'ranges'))
    .map(String)
    .some(mayHoldStrangers);
  return {
    server,
    own: own[0] ?? null,
    networks,
    hosts: matchersIn(reached).flatMap(({ host }) => list(host).map(String)),
    hasFiles: JSON.stringify(all).includes(FILES),
    hasOpenFiles: text.includes(FILES),
    hasAnswers: text.includes('"handle_response"'),
    lures: lures.slice(0, MOST_LURES),
    unknown: networks.length > 0 && isTrusting ? [...unknown, 'trusted_proxies'] : unknown,
  };
}
