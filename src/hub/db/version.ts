/** Which schema a database has. */
import { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
/** Where the header holds `user_version`, four bytes, big-endian (sqlite.org/fileformat2.html). */
const VERSION_AT = 60;

/** What `PRAGMA user_version` says: how many migrations it has seen. */
export const versionOf = (sqlite: Database): number =>
  (sqlite.query('PRAGMA user_version').get() as { user_version: number }).user_version;

/**
 * The same of a file that nobody may write to before it is known: SQLite itself would put its files
 * beside a database in WAL mode.
 * @param name what a person knows the file by
 * @returns 0 where there is no file, or an empty one
 * @throws Error where it is no SQLite database
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
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Error(`${name} is not a SQLite database`);
  }
  const version = header.readUInt32BE(VERSION_AT);
  // After a crash the newest version may still stand in the log beside it.
  return sizeOf(`${file}-wal`) === 0 ? version : Math.max(version, versionWithLog(file));
}

function versionWithLog(file: string): number {
  const sqlite = new Database(file, { readonly: true });
  try {
    return versionOf(sqlite);
  } finally {
    sqlite.close();
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
