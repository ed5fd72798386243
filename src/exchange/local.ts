/**
 * What somebody on the host itself may ask of a running hub without a password: a socket in the
 * data folder, which its owner alone can open.
 */
import { rmSync } from 'node:fs';
import { Elysia } from 'elysia';
import { errors, jsonBody, lateBodies } from '../../agent/http.ts';
import type { Log } from '../log.ts';
import type { Author } from '../vhosts/store.ts';
import type { Importer } from './importer.ts';
import { ImportAnswer, ImportBody, Whole } from './schemas.ts';

export type LocalDeps = { importer: Importer; bodyLimit: number; log: Log };

/** Who stands in the changelog; there is no account behind it. */
const LOCAL: Author = { userId: 'local', userName: 'command line', via: null };

export function createLocal({ importer, bodyLimit, log }: LocalDeps) {
  return new Elysia({ name: 'local' })
    .use(errors({ report: (error) => log('request failed', { reason: String(error) }) }))
    .use(lateBodies())
    .use(jsonBody(bodyLimit))
    .post(
      '/import',
      ({ body }) => importer.run(body.proxyfile, { dryRun: body.dryRun ?? false, author: LOCAL }),
      { body: ImportBody, response: { 200: ImportAnswer, ...Whole } },
    );
}

/** Listens on `path`, readable and writable by its owner alone. @throws where that cannot be had */
export function listenLocally(app: ReturnType<typeof createLocal>, path: string) {
  // One that is left there belongs to a hub that was killed: the folder's lock is ours.
  rmSync(path, { force: true });
  const umask = process.umask(0o177);
  try {
    return stoppable(Bun.serve({ unix: path, fetch: app.handle, development: false }), path);
  } finally {
    process.umask(umask);
  }
}

function stoppable(server: { stop: () => Promise<void> }, path: string) {
  return {
    async stop(): Promise<void> {
      await server.stop();
      rmSync(path, { force: true });
    },
  };
}
