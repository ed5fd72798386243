/** Makes backups in a process of their own: whatever their disk does, the hub goes on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupSettings } from '../../hub/backups/make.ts';
import { readState, writeState } from '../../hub/backups/state.ts';
import { MIGRATIONS } from '../../hub/db/migrate.ts';
import { databaseIn } from '../../hub/db/open.ts';
import { storedVersion } from '../../hub/db/version.ts';
import { messageOf } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import { VERSION } from '../version.ts';

/** Milliseconds that one may take; a database of 10 MB takes less than a second. */
const DEADLINE_MS = 300_000;
/** The same before an upgrade, which waits for it. */
const BEFORE_UPGRADE_MS = 60_000;

/** The command line of this program. */
function program(): string[] {
  if (Bun.main.startsWith('/$bunfs/')) return [process.execPath];
  const source = join(import.meta.dir, '../../main.ts');
  return [process.execPath, '--no-env-file', existsSync(source) ? source : Bun.main];
}

/** Runs `signalbox backup`. @throws Error with what it said */
export async function backupApart(
  { dir, keep, passphrase }: BackupSettings,
  dataDir: string,
  signal: AbortSignal,
): Promise<void> {
  const child = Bun.spawn([...program(), 'backup'], {
    // A `.env` in the data folder would not count.
    cwd: '/',
    env: {
      DATA_DIR: dataDir,
      BACKUP_DIR: dir,
      BACKUP_KEEP: String(keep),
      ...(passphrase !== null && { BACKUP_PASSPHRASE: passphrase }),
    },
    ...{ stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  });
  const ended = Promise.all([child.exited, new Response(child.stderr).text()]);
  const stopped = new Promise<'stopped'>((resolve) => {
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    if (signal.aborted) resolve('stopped');
  });
  const first = await Promise.race([ended, stopped]);
  if (first === 'stopped') {
    // It may hang with its disk, and end only when that answers.
    child.kill('SIGKILL');
    child.unref();
    const { reason } = signal;
    throw new Error(
      reason instanceof DOMException && reason.name === 'TimeoutError'
        ? 'it took too long: does the disk of BACKUP_DIR answer?'
        : 'the hub is stopping',
    );
  }
  const [code, said] = first;
  if (code === 0) return;
  const [line = ''] = said.trim().split('\n').slice(-1);
  throw new Error(line.replace(/^signalbox backup: /, '') || 'its process was ended');
}

/** The same for a hub, which may stop meanwhile. */
export const backupsOf =
  (settings: BackupSettings | null, dataDir: string) =>
  async (signal: AbortSignal): Promise<void> => {
    if (!settings) return;
    await backupApart(
      settings,
      dataDir,
      AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    );
  };

/**
 * Makes one if another version of the program ran last, or the schema is about to change. Never fails: a disk that is
 * not there must not keep sites from being served, and a migration keeps a copy as well.
 */
export async function backupBeforeUpgrade(
  settings: BackupSettings | null,
  dataDir: string,
  log: Log,
): Promise<void> {
  if (!(settings && existsSync(databaseIn(dataDir)))) return;
  try {
    const isOlder = storedVersion(databaseIn(dataDir)) < MIGRATIONS.length;
    if (readState(dataDir, settings.dir).program === VERSION && !isOlder) return;
    try {
      await backupApart(settings, dataDir, AbortSignal.timeout(BEFORE_UPGRADE_MS));
    } finally {
      writeState(dataDir, settings.dir, { program: VERSION });
    }
  } catch (error) {
    log('backup not made', { reason: messageOf(error) }, 'warn');
  }
}
