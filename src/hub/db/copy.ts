/** A copy of a database that is whole and looked through before it gets its name. */
import { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Contents, inspect } from './inspect.ts';

/**
 * Writes what `from` holds at this moment to the file `to`, replacing what stands there: under
 * another name first, for its owner alone, checked and synced. Writers need not wait.
 * @throws Error where that fails, with nothing left behind and `to` as it was
 */
export function copyDatabase(from: Database, to: string): Contents {
  const part = `${to}.${randomBytes(6).toString('hex')}.part`;
  try {
    // It holds password hashes; SQLite fills an empty file and leaves its mode.
    closeSync(openSync(part, 'wx', 0o600));
    from.query('VACUUM INTO ?').run(part);
    const contents = inspectFile(part);
    syncPath(part);
    renameSync(part, to);
    syncPath(dirname(to));
    return contents;
  } catch (cause) {
    throw isFull(cause) ? new Error('the disk is full', { cause }) : cause;
  } finally {
    for (const end of ['', '-journal']) rmSync(part + end, { force: true });
  }
}

function inspectFile(file: string): Contents {
  const sqlite = new Database(file, { readonly: true });
  try {
    return inspect(sqlite, 'the database');
  } finally {
    sqlite.close();
  }
}

/**
 * Removes what copies to `to` have left behind that were killed. Only for who knows that no other
 * copy to it is under way.
 */
export function forgetHalves(to: string): void {
  const start = `${basename(to)}.`;
  const isHalf = (name: string) =>
    name.startsWith(start) && /^[0-9a-f]{12}\.part(-journal)?$/.test(name.slice(start.length));
  for (const name of readdirSync(dirname(to)).filter(isHalf)) rmSync(join(dirname(to), name));
}

/** Makes a file, or the names in a folder, outlive a power cut. @throws file system errors */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Whether it is SQLite's or the system's word for a disk, or a quota, that is full. */
export function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && ['SQLITE_FULL', 'ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
}
