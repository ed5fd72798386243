/** The database while another program has it locked. */
import { Failure } from '../../shared/failure.ts';
import { readIfThere } from '../../shared/system/files.ts';
import { writersOf } from '../../shared/system/lock.ts';
import { codesOf } from './fault.ts';

/** Whether another program has locked the database: nothing was written. */
export const isBusy = (error: unknown): boolean =>
  codesOf(error).some((code) => /^SQLITE_(?:BUSY|LOCKED)(?:_|$)/.test(code));

/** For what must not fail because of a moment: as long as a backup by another program may take. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

/** Tries again while the database is locked, and lets others run in between. @throws what `run` throws at last */
export async function whileBusy<T>(run: () => T, most = PATIENCE_MS): Promise<T> {
  const until = performance.now() + most;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** What whoever wanted to write gets. @param file the database */
export function databaseBusy(file: string): Failure {
  const holders = holdersOf(file);
  const who = holders.length > 0 ? holders.join(', ') : 'another program';
  return new Failure('DATABASE_UNUSABLE', 'The database is locked; nothing was changed.', {
    detail: `${who} has locked signalbox.db`,
    hint: 'Wait until it is done, or stop it; then try again.',
  });
}

/** The other programs that have a lock for writing, such as `sqlite3 (pid 4711)`. */
const holdersOf = (file: string): string[] =>
  writersOf([file, `${file}-wal`, `${file}-shm`]).flatMap((pid) => {
    const name = readIfThere(`/proc/${pid}/comm`)?.trim() ?? '';
    return name === '' ? [] : [`${name} (pid ${pid})`];
  });
