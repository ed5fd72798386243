/**
 * What a running hub does for its own user without a password, for `signalbox import`: requests on a
 * socket in the data folder, which only its owner can open.
 */
import { Elysia } from 'elysia';
import { errors, jsonBody, lateBodies } from '../../shared/http.ts';
import { type Log, reportTo } from '../../shared/log.ts';
import { observeRequests, type RequestSeen, type Routes } from '../../shared/observe/requests.ts';
import type { Author } from '../publish/changes.ts';
import type { Importer } from './importer.ts';
import { ImportAnswer, ImportBody } from './schemas.ts';

export type LocalDeps = {
  importer: Importer;
  bodyLimit: number;
  seen: (request: RequestSeen) => void;
  log: Log;
};

/** The author in the changelog; there is no such account. */
const LOCAL: Author = { userId: 'local', userName: 'command line', via: null };

/** An app for that socket; its routes need no guard. */
export function createLocal({ importer, bodyLimit, seen, log }: LocalDeps) {
  const local = new Elysia({ name: 'local' })
    .wrap(observeRequests({ routes: (): Routes => local.routes, log, seen, several: false }))
    .use(errors({ report: reportTo(log) }))
    .use(lateBodies())
    .use(jsonBody(bodyLimit))
    .post(
      '/import',
      ({ body }) => importer.run(body.proxyfile, { dryRun: body.dryRun ?? false, author: LOCAL }),
      { body: ImportBody, response: { 200: ImportAnswer } },
    );
  return local;
}
