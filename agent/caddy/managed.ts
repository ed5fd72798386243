/** A Caddy that the agent runs itself: its process and its storage. */
import { join } from 'node:path';
import type { Log } from '../../src/shared/log.ts';
import type { Pace } from '../pace.ts';
import type { Warnings } from '../warnings.ts';
import { endLastLines } from './access-log.ts';
import type { LaunchDeps } from './process/launch.ts';
import { createSupervisor, type Supervisor } from './process/supervisor.ts';
import { type CaddyStorage, createCaddyStorage } from './storage/storage.ts';

type ManagedDeps = Omit<LaunchDeps, 'beforeStart'> & {
  accessLog: string;
  /** Loads what is to be served, after each start. */
  resume: (log: Log) => Promise<void>;
  pace: Pick<Pace, 'storage' | 'supervise'>;
  warnings: Warnings;
  log: Log;
};

type Managed = Supervisor & Pick<CaddyStorage, 'repairAfter' | 'keepSynced'>;

export function createManaged(deps: ManagedDeps): Managed {
  const { accessLog, resume, pace, warnings, log } = deps;
  const storage = createCaddyStorage({
    folder: join(deps.env.XDG_DATA_HOME ?? '', 'caddy'),
    warnings,
    pace: pace.storage,
    now: () => new Date(),
    log,
  });
  const supervisor = createSupervisor({
    ...deps,
    pace: pace.supervise,
    async beforeStart() {
      await storage.prepare();
      await endLastLines(accessLog);
    },
    async onUp(log) {
      storage.keepSynced();
      await resume(log);
    },
  });

  return {
    ...supervisor,
    repairAfter: storage.repairAfter,
    keepSynced: storage.keepSynced,
    async stop() {
      await supervisor.stop();
      await storage.stop();
    },
  };
}
