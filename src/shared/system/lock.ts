/** Allows one program per data folder. */
import { Database } from 'bun:sqlite';
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../async.ts';
import { makePrivate, readIfThere } from './files.ts';

export const lockIn = (folder: string, who: string): string => join(folder, `${who}.lock`);

/**
 * Takes SQLite's file lock, which the operating system releases even if the process crashes; a pid
 * file would stay.
 * @param who `hub`, `agent` or `backup`
 * @returns a function that releases the lock
 * @throws Error if another process holds it, or it cannot be locked; file system errors
 */
export function lockFolder(folder: string, who: string): () => void {
  makePrivate(folder);
  const file = lockIn(folder, who);
  // As root, following the link would create a file wherever the folder's owner wants one.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${file} is a symbolic link`);
  }
  const lock = new Database(file, { create: true });
  try {
    lock.run('PRAGMA busy_timeout = 0');
    lock.run('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    const isHeld = (cause as { code?: unknown }).code === 'SQLITE_BUSY';
    throw new Error(
      isHeld
        ? `another ${who} is using the data folder ${folder}`
        : `the data folder ${folder} cannot be locked: ${messageOf(cause)}`,
      { cause },
    );
  }
  return () => lock.close();
}

/** `1: POSIX  ADVISORY  WRITE 4711 08:01:1234 120 120` (proc_locks(5)) */
const LOCK = /\bWRITE +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) /g;

/** The pids of the other programs that have a lock for writing on one of these files; none if that cannot be known. */
export function writersOf(files: readonly string[]): number[] {
  const inodes = new Set(
    files.flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? [String(found.ino)] : [];
    }),
  );
  const pids = [...(readIfThere('/proc/locks') ?? '').matchAll(LOCK)].flatMap(
    ([, pid = '', inode = '']) => (inodes.has(inode) ? [Number(pid)] : []),
  );
  return [...new Set(pids)].filter((pid) => pid !== process.pid);
}
