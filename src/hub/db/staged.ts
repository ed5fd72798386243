/** A database that was prepared beside the hub's own, to take its place: see `Restart` in `core.ts`. */
import { rmSync } from 'node:fs';
import { databaseIn } from './open.ts';

/** Suffixes of the files that SQLite keeps beside a database. */
export const BESIDE = ['-wal', '-shm', '-journal'];

export type Staged = {
  /**
   * Replaces the database, which no hub may have open, and the key if this one has another.
   * @returns the paths of the database and of the key that were there; null if there was none
   * @throws Error, with both unchanged
   */
  put(now: Date): { database: string | null; key: string | null };
};

export const stagedIn = (folder: string): string => `${databaseIn(folder)}.restoring`;

/** Removes what is staged, also by a process that was killed. */
export function unstage(folder: string): void {
  for (const end of ['', ...BESIDE]) rmSync(stagedIn(folder) + end, { force: true });
}
