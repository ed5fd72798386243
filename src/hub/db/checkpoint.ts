/** Moves the write-ahead log into the database's file, which a lost log would otherwise leave empty. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';

/**
 * Never fails. The log stays while another program uses the database, which is not waited for, and if
 * the disk is full or broken, which the next commit reports.
 */
export function checkpoint(sqlite: Database): void {
  try {
    const { timeout } = sqlite.query('PRAGMA busy_timeout').get() as { timeout: number };
    sqlite.run('PRAGMA busy_timeout = 0');
    try {
      sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      sqlite.run(`PRAGMA busy_timeout = ${timeout}`);
    }
  } catch {
    // As above.
  }
}

/**
 * Does so whenever nothing was written for a while.
 * @param idle milliseconds
 * @returns ends it
 */
export function checkpointWhenIdle(sqlite: Database, file: string, idle: number): () => void {
  let last = 0n;
  const timer = setInterval(() => {
    const log = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
    if (!log || log.size === 0n) return;
    if (log.mtimeNs === last) checkpoint(sqlite);
    last = log.mtimeNs;
  }, idle);
  timer.unref();
  return () => clearInterval(timer);
}
