/** Makes a backup: of the database with the hub's key, to a file, or to `BACKUP_DIR` if it has anything new. */
import { constants, Database } from 'bun:sqlite';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../shared/async.ts';
import { fileErrorOf } from '../../shared/file-errors.ts';
import { readIfThere } from '../../shared/system/files.ts';
import { lockFolder } from '../../shared/system/lock.ts';
import { copyDatabase } from '../db/copy.ts';
import { type Contents, inspect } from '../db/inspect.ts';
import { openUnmigrated } from '../db/open.ts';
import { versionOf } from '../db/version.ts';
import { digestOf } from './digest.ts';
import {
  assertRoom,
  assertSameDisk,
  listBackups,
  markDisk,
  nameFor,
  ofHub,
  removeOldest,
  removeParts,
} from './folder.ts';
import { addLabel, type Label, readLabel } from './label.ts';
import { type KeyState, packKey, unpackKey } from './packed-key.ts';
import { noteFailure, readState, writeState } from './state.ts';

export type BackupSettings = Readonly<{
  /** An absolute path. */
  dir: string;
  /** How many of this hub's are kept. */
  keep: number;
  /** Seals the hub's key; null: it is in clear. */
  passphrase: string | null;
}>;

export type Source = {
  /** An open database. */
  sqlite: Database;
  /** The file with the hub's key. */
  keyFile: string;
  passphrase: string | null;
};

export type Made = Contents & { key: KeyState };

/** Writes it whole, or not at all. @throws Error; file system errors */
export async function writeBackup(
  { sqlite, keyFile, passphrase }: Source,
  to: string,
  digest = digestOf(sqlite),
): Promise<Made> {
  const key = await packKey(readIfThere(keyFile), passphrase);
  const contents = copyDatabase(sqlite, to, (copy) => addLabel(copy, { digest, key }));
  return { ...contents, key: key === null ? 'none' : key.salt ? 'sealed' : 'clear' };
}

/** `empty`: there is no account yet; `same`: the newest backup has the same contents. */
export type Outcome =
  | { made: 'empty' }
  | { made: 'same'; file: string }
  | { made: 'new'; file: string; contents: Made };

export type MakeDeps = {
  dataDir: string;
  keyFile: string;
  settings: BackupSettings;
  now: () => Date;
};

/**
 * One after the other, whoever asks. What fails is noted, for the hub to report.
 * @throws Error, for a person, without a path
 */
export async function makeBackup({ dataDir, keyFile, settings, now }: MakeDeps): Promise<Outcome> {
  const { dir, keep, passphrase } = settings;
  const release = lockBackups(dataDir);
  try {
    const sqlite = openUnmigrated(dataDir);
    try {
      sqlite.run('PRAGMA busy_timeout = 5000');
      const count = (sql: string) => Number(sqlite.query(sql).values().flat()[0] ?? 0);
      if (versionOf(sqlite) === 0 || count('SELECT count(*) FROM users') === 0) {
        return { made: 'empty' };
      }
      const id = String(sqlite.query('SELECT id FROM hub').values().flat()[0]);
      const device = assertSameDisk(readState(dataDir, dir), id);
      const source = { sqlite, keyFile, passphrase };
      const digest = digestOf(sqlite);
      await removeParts(dir, id);
      const [newest] = ofHub(await listBackups(dir), id);
      const file = newest && join(dir, newest.name);
      const isSame = file !== undefined && (await holds(file, digest, source));
      const outcome: Outcome = isSame ? { made: 'same', file } : await write();
      await removeOldest(dir, id, keep);
      markDisk(dir, id);
      writeState(dataDir, dir, { device, succeededAt: now().getTime(), failure: null });
      return outcome;

      async function write(): Promise<Outcome> {
        assertRoom(dir, count('PRAGMA page_count') * count('PRAGMA page_size'));
        const file = join(dir, nameFor(id, now()));
        return { made: 'new', file, contents: await writeBackup(source, file, digest) };
      }
    } finally {
      sqlite.close();
    }
  } catch (error) {
    const reason = fileErrorOf(error, () => 'BACKUP_DIR') ?? messageOf(error);
    noteFailure(dataDir, dir, reason, now().getTime());
    throw new Error(reason, { cause: error });
  } finally {
    release();
  }
}

function lockBackups(dataDir: string): () => void {
  try {
    return lockFolder(dataDir, 'backup');
  } catch (cause) {
    throw new Error('another backup is under way', { cause });
  }
}

/** Whether a backup is intact and has these contents, with the same key for the same passphrase. */
async function holds(file: string, digest: string, { keyFile, passphrase }: Source) {
  const label = labelOf(file);
  if (label?.digest !== digest) return false;
  const now = await packKey(readIfThere(keyFile), null);
  if (!(now && label.key)) return now === label.key;
  if ((label.key.salt !== null) !== (passphrase !== null)) return false;
  return unpackKey(label.key, passphrase).then(
    (text) => text === now.key.toString(),
    () => false,
  );
}

/** Null if it is damaged, or no backup. */
function labelOf(file: string): Label | null {
  try {
    // Immutable: nothing is written beside it.
    const address = `${pathToFileURL(file).href}?immutable=1`;
    const sqlite = new Database(
      address,
      constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
    );
    try {
      inspect(sqlite, file);
      return readLabel(sqlite);
    } finally {
      sqlite.close();
    }
  } catch {
    return null;
  }
}
