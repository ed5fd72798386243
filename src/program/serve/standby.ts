/**
 * Stands in for a hub whose database cannot be used, so that agent and proxy go on: answers that every
 * request has to wait, and starts the hub once the database can be opened, as after a restore.
 */
import { Elysia } from 'elysia';
import type { HubSettings } from '../../hub/api/context.ts';
import { databaseUnusable } from '../../hub/db/fault.ts';
import { type OpenDatabase, openDatabase } from '../../hub/db/open.ts';
import { messageOf } from '../../shared/async.ts';
import { every } from '../../shared/every.ts';
import { errors, SHORT_HOSTS } from '../../shared/http.ts';
import { type Log, reportTo } from '../../shared/log.ts';
import { listen } from '../listen.ts';
import { beginOrStop, type Prepared, type RunningHub } from './running.ts';

type Hub = RunningHub & Prepared;

/**
 * @param prepare puts the hub together on the port that the standby had. Throws Error
 * @param pause milliseconds from one attempt to open the database to the next
 * @throws Error if the port is in use
 */
export function prepareStandby(
  settings: Pick<HubSettings, 'dataDir' | 'host' | 'port'>,
  prepare: (database: OpenDatabase, port: number) => Hub,
  pause: number,
  log: Log,
): Hub {
  const app = new Elysia({ name: 'standby', handler: SHORT_HOSTS })
    .use(errors({ report: reportTo(log) }))
    .onRequest(() => {
      throw databaseUnusable();
    });
  const listening = listen(app, { of: 'HUB', host: settings.host, port: settings.port });
  let hub: Hub | undefined;
  let lastReason = '';

  async function start(): Promise<void> {
    const database = openDatabase(settings.dataDir);
    await listening.stop();
    const prepared = prepare(database, Number(new URL(listening.url).port));
    await beginOrStop(prepared);
    hub = prepared;
    log('hub started: the database can be used again');
  }

  const attempts = every({ pause, first: pause }, async () => {
    try {
      await start();
      void attempts.end();
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== lastReason) log('hub not started', { reason }, 'error');
      lastReason = reason;
    }
  });

  return {
    url: listening.url,
    setupCode: null,
    serving: async () => null,
    begin: async () => attempts.begin(),
    async stop() {
      await attempts.end();
      await (hub ?? listening).stop();
    },
  };
}
