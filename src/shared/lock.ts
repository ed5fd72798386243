/** Allows one program per data folder. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { makePrivate } from './files.ts';

/**
 * Takes SQLite's file lock, which the operating system releases even if the process crashes; a pid
 * file would stay.
 * @param who `hub` or `agent`
 * @returns a function that releases the lock
 * @throws Error if another process holds it; file system errors
 */
export function lockFolder(folder: string, who: string): () => void {
  makePrivate(folder);
  const lock = new Database(join(folder, `${who}.lock`), { create: true });
  try {
    lock.run('PRAGMA busy_timeout = 0');
    lock.run('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new Error(`another ${who} is using the data folder ${folder}`);
  }
  return () => lock.close();
}
