/** Redirects visitors to HTTPS where Caddy does not, because it gets no certificate itself. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { hostsOf, ownListeners, portOf, redirectsOf } from '../ports/ports.ts';

/**
 * Before a route for any host, Caddy (2.6.2 to 2.11.4) puts its redirects only if it gets a certificate for
 * one name at least. So each server with such a route gets those of the names that have a certificate.
 * @param isCertified whether a name, as the configuration spells it, is served with a certificate given to Caddy
 * @returns the servers, in the same order
 */
export function withRedirects(
  servers: readonly [string, Json][],
  http: JsonObject,
  isCertified: (name: string) => boolean,
): [string, Json][] {
  const [httpPort, httpsPort] = [portOf(http.http_port, 80), portOf(http.https_port, 443)];
  const wanted = servers.flatMap(([, server]) => {
    const [redirect] = redirectsOf(server, http);
    const [own] = ownListeners(server).filter(({ port }) => port !== httpPort);
    if (!redirect || !own) return [];
    const hosts = list(field(server, 'routes')).flatMap(hostsOf).map(String).filter(isCertified);
    const suffix = own.port === httpsPort || own.port === 443 ? '' : `:${own.port}`;
    return hosts.length === 0 ? [] : { hosts, suffix };
  });
  return servers.map(([name, server]) => {
    const routes = list(field(server, 'routes'));
    const isPlain = ownListeners(server).some(({ port }) => port === httpPort);
    const at = routes.findIndex((route) => hostsOf(route).length === 0);
    if (!isPlain || at === -1) return [name, server];
    const taken = new Set(routes.flatMap(hostsOf));
    const redirects = wanted.flatMap(({ hosts, suffix }) => {
      const free = hosts.filter((host) => !taken.has(host));
      return free.length === 0 ? [] : redirect(free, suffix);
    });
    return [name, { ...object(server), routes: routes.toSpliced(at, 0, ...redirects) }];
  });
}

/** As Caddy's own. */
const redirect = (host: string[], suffix: string): JsonObject => ({
  match: [{ host, protocol: 'http' }],
  handle: [
    {
      handler: 'static_response',
      status_code: 308,
      headers: {
        Connection: ['close'],
        Location: [`https://{http.request.host}${suffix}{http.request.uri}`],
      },
    },
  ],
  terminal: true,
});
