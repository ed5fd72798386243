/** A hub that can replace its database while it runs: it stops, and starts again on the same port. */
import type { HubSettings } from '../../hub/api/context.ts';
import type { Restart } from '../../hub/core.ts';
import { DatabaseUnusable } from '../../hub/db/fault.ts';
import { type OpenDatabase, openDatabase } from '../../hub/db/open.ts';
import { type Staged, unstage } from '../../hub/db/staged.ts';
import { messageOf } from '../../shared/async.ts';
import { fileErrorOf } from '../../shared/file-errors.ts';
import type { Log } from '../../shared/log.ts';
import { outsideRequests } from '../../shared/observe/requests.ts';
import { lockFolder } from '../../shared/system/lock.ts';
import type { Prepared, RunningHub } from './running.ts';
import { prepareStandby } from './standby.ts';

type Hub = RunningHub & Prepared;

type Ended = Parameters<Restart>[1];

/** Puts the hub together. @throws Error; the database is closed then */
export type PrepareHub = (database: OpenDatabase, port: number, restart: Restart) => Hub;

/**
 * @param first null if the database cannot be used
 * @param pause milliseconds from one attempt to start the hub to the next
 * @throws Error if the port is in use
 */
export function prepareRestartable(
  first: OpenDatabase | null,
  settings: Pick<HubSettings, 'dataDir' | 'host' | 'port'>,
  prepareHub: PrepareHub,
  pause: number,
  log: Log,
): Hub {
  const { dataDir } = settings;
  let isStopped = false;
  let restarting: Promise<void> | null = null;

  let opened: OpenDatabase | undefined;
  const prepare = (database: OpenDatabase, port: number): Hub => {
    opened = database;
    // Of a restore that was killed. Nobody else restores: this hub has the lock.
    unstage(dataDir);
    return prepareHub(database, port, restart);
  };
  const put = (database: OpenDatabase | null, port: number): Hub =>
    database ? prepare(database, port) : prepareStandby({ ...settings, port }, prepare, pause, log);

  let hub = put(first, settings.port);
  const { url } = hub;
  const port = Number(new URL(url).port);

  function restart(staged: Staged, ended: Ended): void {
    // The next hub is not part of the request that asked for it.
    restarting ??= outsideRequests(() => replace(staged, ended)).finally(() => {
      restarting = null;
    });
  }

  /** Never fails: without the hub, nobody could try again. */
  async function replace(staged: Staged, ended: Ended): Promise<void> {
    let isRestored = false;
    opened?.willBeReplaced();
    await hub.stop().catch((error) => log('stop failed', { reason: messageOf(error) }, 'error'));
    try {
      const release = lockFolder(dataDir, 'hub');
      try {
        const { database } = staged.put(new Date());
        isRestored = true;
        log('backup restored', { kept: database ?? '' });
      } finally {
        unstage(dataDir);
        release();
      }
    } catch (error) {
      const reason = fileErrorOf(error, () => 'DATA_DIR') ?? messageOf(error);
      log('backup not restored', { reason }, 'error');
      tryTo(() => ended({ reason }));
    }
    while (!isStopped) {
      try {
        const database = openUnlessUnusable(dataDir);
        if (database && isRestored) tryTo(() => ended(database));
        isRestored = false;
        hub = put(database, port);
        await hub.begin();
        return;
      } catch (error) {
        log('hub not started', { reason: messageOf(error) }, 'error');
        await Bun.sleep(pause);
      }
    }
  }

  /** What is only noted must not keep the hub from starting. */
  function tryTo(work: () => void): void {
    try {
      work();
    } catch (error) {
      log('restore not noted', { reason: messageOf(error) }, 'error');
    }
  }

  return {
    url,
    setupCode: hub.setupCode,
    serving: () => hub.serving(),
    begin: () => hub.begin(),
    async stop() {
      isStopped = true;
      const isOver = restarting !== null;
      await restarting;
      // If it was stopped in between, there is none.
      await hub.stop().catch((error) => {
        if (!isOver) throw error;
      });
    },
  };
}

/** @returns null if the database cannot be used. @throws as `openDatabase` otherwise */
function openUnlessUnusable(folder: string): OpenDatabase | null {
  try {
    return openDatabase(folder);
  } catch (error) {
    if (error instanceof DatabaseUnusable) return null;
    throw error;
  }
}
