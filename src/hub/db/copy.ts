/** Copies a database; the copy is complete and checked before it gets its name. */
import type { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncPath } from '../../shared/system/files.ts';
import { isFull } from './fault.ts';
import { type Contents, inspect } from './inspect.ts';
import { withDatabase } from './version.ts';

/**
 * Writes the current contents of `from` to the file `to`, readable only by its owner. Replaces `to`
 * once the copy, under a temporary name, is checked and synced. Does not block writers.
 * @param complete adds to the copy before it is checked
 * @throws Error if that fails, with nothing left behind and `to` unchanged
 */
export function copyDatabase(
  from: Database,
  to: string,
  complete?: (copy: Database) => void,
): Contents {
  const part = `${to}.${randomBytes(6).toString('hex')}.part`;
  try {
    // It holds password hashes. SQLite fills an empty file and keeps its mode.
    closeSync(openSync(part, 'wx', 0o600));
    from.query('VACUUM INTO ?').run(part);
    if (complete) withDatabase(part, false, complete);
    const contents = withDatabase(part, true, (copy) => inspect(copy, 'the database'));
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

/**
 * Removes what killed copies to `to` left behind. Call it only if no other copy to it is under way.
 */
export function removePartialCopies(to: string): void {
  const start = `${basename(to)}.`;
  const isPartial = (name: string) =>
    name.startsWith(start) && /^[0-9a-f]{12}\.part(-journal)?$/.test(name.slice(start.length));
  for (const name of readdirSync(dirname(to)).filter(isPartial)) rmSync(join(dirname(to), name));
}
