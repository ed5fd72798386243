/**
 * What a running hub does for its own user without a password, for `signalbox agents`, `signalbox
 * import`, `signalbox ports` and `signalbox site`: requests on a socket in the data folder, which only its owner can open. If
 * Caddy has the same user, a site could make it an upstream, so a request must also carry a secret.
 */
import { Elysia } from 'elysia';
import { Failure } from '../shared/failure.ts';
import { errors } from '../shared/http.ts';
import { jsonBody, lateBodies } from '../shared/json-body.ts';
import { type Log, reportTo } from '../shared/log.ts';
import { observeRequests, type RequestSeen, type Routes } from '../shared/observe/requests.ts';
import type { Fleet } from './agents/fleet.ts';
import { localAgentRoutes } from './agents/local-routes.ts';
import { bearerOf } from './auth/bearer.ts';
import { isSame } from './auth/secret.ts';
import type { Importer } from './exchange/importer.ts';
import { ImportAnswer, ImportBody } from './exchange/schemas.ts';
import type { Author } from './model/changes.ts';
import { createReadPorts, moveToStandard, type PortsDeps } from './publish/ports.ts';
import { localVhostRoutes } from './vhosts/local-routes.ts';

export type LocalDeps = PortsDeps & {
  importer: Importer;
  fleet: Fleet;
  bodyLimit: number;
  /** What a request has to carry as its bearer token. */
  secret: string;
  /** Called for each request. */
  seen: (request: RequestSeen) => void;
  log: Log;
};

/** The author in the changelog; there is no such account. */
const LOCAL: Author = { userId: 'local', userName: 'command line', via: null };

/** An app for that socket; its routes need no other guard. */
export function createLocal(deps: LocalDeps) {
  const { publisher, importer, fleet, bodyLimit, secret, seen, log } = deps;
  const readPorts = createReadPorts(deps);
  const local = new Elysia({ name: 'local' })
    .wrap(observeRequests({ routes: (): Routes => local.routes, log, seen, several: false }))
    .use(errors({ report: reportTo(log) }))
    .use(lateBodies())
    .onRequest(({ request }) => {
      if (isSame(bearerOf(request.headers) ?? '', secret)) return;
      throw new Failure('UNAUTHENTICATED', 'The secret in DATA_DIR is required.');
    })
    .get('/ports', async () => ({ serving: await readPorts() }))
    .post('/ports/standard', async () => {
      await moveToStandard(deps, LOCAL);
      return { serving: await readPorts() };
    })
    .use(localAgentRoutes({ fleet, author: LOCAL, bodyLimit }))
    .use(localVhostRoutes({ publisher, author: LOCAL, bodyLimit }))
    .use(jsonBody(bodyLimit))
    .post(
      '/import',
      ({ body: { proxyfile, ...options } }) =>
        importer.run(proxyfile, { ...options, author: LOCAL }),
      { body: ImportBody, response: { 200: ImportAnswer } },
    );
  return local;
}
