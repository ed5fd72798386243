/** Opens a database for a moment, and reads its schema version. */
import { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isSqlite } from '../../shared/sqlite.ts';

/** Where the header holds `user_version`, four bytes, big-endian (sqlite.org/fileformat2.html). */
const VERSION_AT = 60;

/** The number of migrations applied, from `PRAGMA user_version`. */
export const versionOf = (sqlite: Database): number =>
  (sqlite.query('PRAGMA user_version').get() as { user_version: number }).user_version;

/**
 * The same, without writing anything: SQLite itself would create files beside a database in WAL
 * mode.
 * @param name names the file in error messages
 * @returns 0 if the file is missing or empty
 * @throws Error if it is not a SQLite database
 */
export function storedVersion(file: string, name = file): number {
  if (sizeOf(file) === 0) return 0;
  const header = Buffer.alloc(VERSION_AT + 4);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  if (!isSqlite(header)) {
    const error = new Error(`${name} is not a SQLite database`);
    throw Object.assign(error, { code: 'SQLITE_NOTADB' });
  }
  const version = header.readUInt32BE(VERSION_AT);
  // After a crash the newest version may still be in the write-ahead log.
  return sizeOf(`${file}-wal`) === 0
    ? version
    : Math.max(version, withDatabase(file, true, versionOf));
}

/** Opens a database while `work` uses it. @throws SQLite errors, and as `work` */
export function withDatabase<T>(file: string, readonly: boolean, work: (sqlite: Database) => T): T {
  const sqlite = new Database(file, { readonly, readwrite: !readonly, strict: true });
  try {
    return work(sqlite);
  } finally {
    sqlite.close();
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
