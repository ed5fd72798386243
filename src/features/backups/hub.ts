/** What a hub does with backups: makes one a day, reports if that fails, and restores one. */
import type { HubCore, HubPart } from '../../hub/core.ts';
import { type Problem, sentence } from '../../hub/watch/problem.ts';
import { createBackups } from './keeper.ts';
import type { BackupSettings } from './make.ts';
import { backupDiskOf } from './process.ts';
import { backupRoutes } from './routes.ts';
import type { BackupState } from './state.ts';

/** Milliseconds. */
export const PACE = {
  /** From one look at whether one is due to the next. */
  look: 60_000,
  every: 86_400_000,
  /** After one that failed: its disk may be there again. */
  retry: 3_600_000,
};

/** @param settings null: it makes none */
export function hub(core: HubCore, settings: BackupSettings | null): HubPart {
  const disk = settings && backupDiskOf(settings, core.dataDir);
  const backups = createBackups(core, settings, disk, core.paced('backups', PACE));
  return {
    routes: (api) => backupRoutes(api, backups),
    problems: () => failed(backups.state()?.failure ?? null),
    begin: backups.begin,
    end: async () => backups.end(),
  };
}

const failed = (failure: BackupState['failure']): Problem[] =>
  failure === null
    ? []
    : [
        {
          code: 'BACKUP_FAILED',
          level: 'warn',
          since: new Date(failure.since).toISOString(),
          message: sentence(`No backup is made: ${failure.reason}`),
        },
      ];
