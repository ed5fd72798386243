/** Allows one program per data folder. */
import { Database } from 'bun:sqlite';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../async.ts';
import { makePrivate } from './files.ts';

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
