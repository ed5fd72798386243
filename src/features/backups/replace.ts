/** Replaces the hub's database. The hub must not be running. */
import type { Database } from 'bun:sqlite';
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
import { type Contents, inspect } from '../../hub/db/inspect.ts';
import { assertKnown } from '../../hub/db/migrate.ts';
import { BESIDE } from '../../hub/db/staged.ts';
import { storedVersion, withDatabase } from '../../hub/db/version.ts';
import { removeOldCopies, syncPath } from '../../shared/system/files.ts';
import { MAX_TERM } from '../../shared/wire/protocol.ts';
import { refuseCode } from './foreign.ts';

/**
 * Checks a copy and merges its log into it. Deletes its sessions: those that have ended since must
 * not become valid again. Its next publish may replace what another hub published, for whoever
 * restores it says so.
 * @param name names the file in error messages
 * @param term see `setTerm`
 * @param clean removes what a backup has besides the database, and returns it
 * @throws Error if it is damaged, has code in it, or is not a hub's database; as `assertKnown`
 */
export function makeReady<T>(
  file: string,
  name: string,
  term: TermOptions,
  clean: (sqlite: Database) => T,
): { contents: Contents; removed: T } {
  assertKnown(storedVersion(file, name), name);
  return withDatabase(file, false, (sqlite) => {
    refuseCode(sqlite, name);
    const contents = inspect(sqlite, name);
    const removed = clean(sqlite);
    setTerm(sqlite, term);
    sqlite.run('PRAGMA journal_mode = DELETE');
    sqlite.run('DELETE FROM sessions');
    sqlite.run('UPDATE hub SET replaces = 1');
    return { contents, removed };
  });
}

/**
 * Renames `ready` to `current` and keeps the old file. A crash at any moment leaves one or the other
 * in place.
 * @param stamp part of the old file's new name
 * @returns the old file's new path, null if there was none
 * @throws Error if another program has the database open
 */
export function putInPlace(ready: string, current: string, stamp: string): string | null {
  const kept = existsSync(current) ? `${current}.before-restore-${stamp}` : null;
  if (kept !== null) {
    const merged = mergeLog(current);
    if (merged && BESIDE.some((end) => existsSync(current + end))) {
      throw new Error('another program has the database open (Litestream?); stop it first');
    }
    keep(current, kept);
    removeOldCopies(`${current}.before-restore-`);
  }
  // Left only beside a file that SQLite cannot read; the new database must not pick them up.
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
 * If root restores, or makes a backup, gives the file to the user who owns the folder, so that they can open it. Not
 * through a symbolic link: that user could have planted one to a file that is not theirs.
 */
export function giveToOwner(file: string, folder = dirname(file)): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (lstatSync(file).uid !== uid) lchownSync(file, uid, gid);
}

/** Merges the write-ahead log into the file; false if it is too damaged. */
function mergeLog(file: string): boolean {
  try {
    // SQLite would delete the log of a file that it does not recognise.
    storedVersion(file);
    withDatabase(file, false, (sqlite) => sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)'));
    return true;
  } catch {
    return false;
  }
}

/** Links or copies `current` to `kept`. @throws file system errors, EEXIST among them */
export function keep(current: string, kept: string): void {
  try {
    linkSync(current, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // Not every file system supports links.
    copyFileSync(current, kept, constants.COPYFILE_EXCL);
    syncPath(kept);
  }
}

type Identity = { id: string; term: number };

type TermOptions = {
  /** The path of the database that is to be replaced. */
  current: string;
  /** Makes agents obey this copy from now on, and no other one whose term is at most `above`. */
  promote?: { above: number } | undefined;
};

/**
 * Sets the term of a copy that is about to be used: at least that of the database it replaces, if
 * both are of one hub, because agents know that one; higher if it is promoted.
 */
function setTerm(copy: Database, { current, promote }: TermOptions): void {
  const { id, term } = identityOf(copy);
  const before = identityIn(current);
  const known = Math.max(term, before?.id === id ? before.term : 1);
  const next = promote ? Math.max(known, promote.above) + 1 : known;
  if (next > MAX_TERM) throw new Error('this database has the highest term there is');
  copy.query('UPDATE hub SET term = ?').run(next);
}

const identityOf = (sqlite: Database): Identity =>
  sqlite.query('SELECT id, term FROM hub').get() as Identity;

/** Null if it cannot be read. */
function identityIn(file: string): Identity | null {
  try {
    // SQLite would delete the log of a file that it does not recognise.
    if (!existsSync(file) || storedVersion(file) === 0) return null;
    return withDatabase(file, false, identityOf);
  } catch {
    return null;
  }
}
