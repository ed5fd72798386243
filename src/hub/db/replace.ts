/** Puts another database in the place of the hub's, which must not run. */
import { Database } from 'bun:sqlite';
import {
  constants,
  copyFileSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from './copy.ts';
import { type Contents, inspect } from './inspect.ts';
import { refuseNewer } from './migrate.ts';
import { storedVersion } from './version.ts';

/** What SQLite puts beside a database. */
export const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Looks through a copy and makes one file of it, without its sessions: those that were ended since
 * must not come back to life.
 * @param name what a person knows the file by
 * @throws Error where it is no database of signalbox, damaged, of a newer version, or does something
 * by itself
 */
export function makeReady(file: string, name: string): Contents {
  refuseNewer(storedVersion(file, name), name);
  const sqlite = new Database(file, { readwrite: true, strict: true });
  try {
    const contents = inspect(sqlite, name);
    refuseProgram(sqlite, name);
    sqlite.run('PRAGMA journal_mode = DELETE');
    sqlite.run('DELETE FROM sessions');
    return contents;
  } finally {
    sqlite.close();
  }
}

/**
 * A file may come from anywhere. No hub's database has triggers or views: one could bring sessions
 * or accounts back whenever they are removed, or work without an end.
 */
function refuseProgram(sqlite: Database, name: string): void {
  const found = "SELECT type FROM sqlite_master WHERE type IN ('trigger', 'view')";
  const [type] = sqlite.query(found).values().flat();
  if (type !== undefined) {
    throw new Error(`${name} is not a database of signalbox alone: it has a ${type}`);
  }
}

/**
 * Gives `ready` the name `current`. What stood there is kept: at each moment of it, a crash leaves
 * the one or the other.
 * @param stamp tells the kept one apart
 * @returns where the old one is, null where there was none
 * @throws Error where another program has it open
 */
export function putInPlace(ready: string, current: string, stamp: string): string | null {
  const kept = existsSync(current) ? `${current}.before-restore-${stamp}` : null;
  if (kept !== null) {
    const folded = foldLog(current);
    if (folded && BESIDE.some((end) => existsSync(current + end))) {
      throw new Error('another program has the database open (Litestream?); stop it first');
    }
    keep(current, kept);
  }
  // Only one that SQLite cannot read has something there still; the new one must not meet it.
  for (const end of BESIDE) {
    if (existsSync(current + end)) renameSync(current + end, (kept ?? `${current}.left`) + end);
  }
  giveToOwner(ready);
  syncPath(ready);
  renameSync(ready, current);
  syncPath(dirname(current));
  return kept;
}

/**
 * Root may restore for the user whom the folder belongs to, who must be able to open it then. That
 * user may have put a link there, to something that is not to become theirs.
 */
export function giveToOwner(file: string): void {
  const { uid, gid } = statSync(dirname(file));
  if (lstatSync(file).uid !== uid) lchownSync(file, uid, gid);
}

/** Takes what stands in the log beside it into the file; false where it is too damaged for that. */
function foldLog(file: string): boolean {
  try {
    // SQLite removes the log of a file that it does not recognise.
    storedVersion(file);
    const sqlite = new Database(file, { readwrite: true });
    try {
      sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)');
      return true;
    } finally {
      sqlite.close();
    }
  } catch {
    return false;
  }
}

function keep(current: string, kept: string): void {
  try {
    linkSync(current, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // Not every file system has links.
    copyFileSync(current, kept, constants.COPYFILE_EXCL);
    syncPath(kept);
  }
}
