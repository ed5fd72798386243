/** What a backup has besides the database: a table with its digest and the hub's key, and a mark in its header. */
import type { Database } from 'bun:sqlite';
import { KEY_STATES, type KeyState, type PackedKey } from './packed-key.ts';

export type Label = Readonly<{
  /** Of the contents, as `digestOf` has it. */
  digest: string;
  key: PackedKey | null;
}>;

/** `SB` and 16 bits for the key's state, in `application_id` (sqlite.org/fileformat2.html). */
const APPLICATION = 0x53420000;

const stateOf = (key: PackedKey | null): KeyState =>
  key === null ? 'none' : key.salt ? 'sealed' : 'clear';

/** How the key is in a backup, by the `application_id` of its header; null if it has no label. */
export const keyStateFrom = (application: number): KeyState | null =>
  KEY_STATES[application - APPLICATION] ?? null;

/** Writes the label into a copy of the database. */
export function addLabel(copy: Database, { digest, key }: Label): void {
  copy.run('DROP TABLE IF EXISTS backup');
  copy.run('CREATE TABLE backup (digest TEXT NOT NULL, mark BLOB, salt BLOB, key BLOB)');
  const values = [digest, key?.mark ?? null, key?.salt ?? null, key?.key ?? null] as const;
  copy.query('INSERT INTO backup VALUES (?, ?, ?, ?)').run(...values);
  copy.run(`PRAGMA application_id = ${APPLICATION + KEY_STATES.indexOf(stateOf(key))}`);
}

/** Null for a copy that another program made. */
export function readLabel(copy: Database): Label | null {
  const isThere = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'backup'";
  if (!copy.query(isThere).get()) return null;
  const [row] = copy.query('SELECT digest, mark, salt, key FROM backup').values();
  const [digest, mark, salt, key] = row ?? [];
  const packed =
    mark instanceof Uint8Array && key instanceof Uint8Array
      ? {
          mark: Buffer.from(mark),
          key: Buffer.from(key),
          salt: salt instanceof Uint8Array ? Buffer.from(salt) : null,
        }
      : null;
  return { digest: String(digest), key: packed };
}

/** The same, and removes it: no byte of the key stays in the file. */
export function takeLabel(copy: Database): Label | null {
  const label = readLabel(copy);
  copy.run('PRAGMA secure_delete = ON');
  copy.run('DROP TABLE IF EXISTS backup');
  copy.run('PRAGMA application_id = 0');
  return label;
}
