/** One program per data folder. */
import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Holds SQLite's own file lock for as long as the process lives: the operating system lets go of it
 * at a crash, which a pid file would not.
 * @param who what holds it, `hub` or `agent`
 * @returns what gives it back
 * @throws Error where another process has it
 */
export function lockFolder(folder: string, who: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
