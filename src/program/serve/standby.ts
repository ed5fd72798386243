/**
 * Stands in for a hub whose database cannot be used, so that agent and proxy go on: answers that every
 * request has to wait, and starts the hub once the database can be opened, as after a restore.
 */
import { Elysia } from 'elysia';
import type { HubSettings } from '../../hub/api/context.ts';
import { databaseUnusable } from '../../hub/db/fault.ts';
import { type OpenDatabase, openDatabase } from '../../hub/db/open.ts';
import { messageOf } from '../../shared/async.ts';
import { errors, SHORT_HOSTS } from '../../shared/http.ts';
import { type Log, reportTo } from '../../shared/log.ts';
import { listen } from '../listen.ts';
import { beginOrStop, type Prepared, type RunningHub } from './running.ts';

type Hub = RunningHub & Prepared;

export type StandbyDeps = {
  settings: Pick<HubSettings, 'dataDir' | 'host' | 'port'>;
  /** Puts the hub together on the port that the standby had. @throws Error */
  prepare: (database: OpenDatabase, port: number) => Hub;
  /** Milliseconds from one attempt to open the database to the next. */
  every: number;
  log: Log;
};

/** @throws Error if the port is in use */
export function prepareStandby({ settings, prepare, every, log }: StandbyDeps): Hub {
  const app = new Elysia({ name: 'standby', handler: SHORT_HOSTS })
    .use(errors({ report: reportTo(log) }))
    .onRequest(() => {
      throw databaseUnusable();
    });
  const listening = listen(app, { of: 'HUB', host: settings.host, port: settings.port });
  let timer: Timer | undefined;
  let trying = Promise.resolve();
  let isStopped = false;
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

  const retryLater = () => {
    timer = setTimeout(() => {
      trying = start().catch((error) => {
        const reason = messageOf(error);
        if (reason !== lastReason) log('hub not started', { reason }, 'error');
        lastReason = reason;
        if (!isStopped) retryLater();
      });
    }, every);
  };

  return {
    url: listening.url,
    setupCode: null,
    serving: async () => null,
    begin: async () => retryLater(),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await trying;
      await (hub ?? listening).stop();
    },
  };
}
