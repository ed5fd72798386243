/** What SQLite and the file system say of a database that cannot be used, or not now, in words with the remedy. */
import { messageOf } from '../../shared/async.ts';
import { FAILURES, Failure } from '../../shared/failure.ts';
import { readIfThere } from '../../shared/system/files.ts';
import { writersOf } from '../../shared/system/lock.ts';

/** The database cannot be used as it is; the message names the file and the remedy. */
export class DatabaseUnusable extends Error {}

/** An error's code and those of its causes: Drizzle wraps the errors of SQLite. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const code = 'code' in error ? [String(error.code)] : [];
  return [...code, ...codesOf(error.cause)];
}

/** Whether SQLite found its file damaged. */
export const isDamage = (error: unknown): boolean =>
  codesOf(error).some((code) => /^SQLITE_(CORRUPT|NOTADB)(_|$)/.test(code));

/** Whether an error of SQLite or the file system means that the disk or a quota is full. */
export const isFull = (error: unknown): boolean =>
  codesOf(error).some((code) => ['SQLITE_FULL', 'ENOSPC', 'EDQUOT', 'EFBIG'].includes(code));

const UNWRITABLE = /^(EACCES|EPERM|EROFS|ENOTDIR|SQLITE_(READONLY|CANTOPEN|PERM)(_.*)?)$/;
const BROKEN_DISK = /^(EIO|SQLITE_IOERR(_.*)?)$/;

/** What the callers of a hub get that has found its database damaged, or cannot open it. */
export const databaseUnusable = (): Failure =>
  new Failure('DATABASE_UNUSABLE', FAILURES.DATABASE_UNUSABLE.meaning);

export const damaged = (file: string, reason: string): DatabaseUnusable =>
  new DatabaseUnusable(
    `the database ${file} is damaged (${reason.replaceAll(/\s+/g, ' ')}); replace it by a backup with "signalbox restore"`,
  );

/**
 * An error that says which file cannot be used and what to do about it.
 * @param file the database, or another file that the hub needs
 * @returns `error` itself if it is about something else
 */
export function asUnusable(error: unknown, file: string): unknown {
  if (error instanceof DatabaseUnusable) return error;
  if (isDamage(error)) return damaged(file, messageOf(error));
  if (isFull(error)) return unusable(`the disk is full: ${file} cannot be written`, error);
  const codes = codesOf(error);
  if (codes.includes('EISDIR')) {
    return unusable(`${file} is a folder; move it elsewhere, or restore a backup`, error);
  }
  if (codes.some((code) => UNWRITABLE.test(code))) {
    return unusable(`${file} cannot be written: check its owner, its mode and its disk`, error);
  }
  if (codes.some((code) => BROKEN_DISK.test(code))) {
    return unusable(`${file} cannot be read or written: check its disk`, error);
  }
  return error;
}

const unusable = (sentence: string, cause: unknown) =>
  new DatabaseUnusable(`${sentence} (${messageOf(cause)})`, { cause });

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
