/** Makes a backup: of the database with the hub's key, to a file, or to `BACKUP_DIR` if it has anything new. */
import type { Database } from 'bun:sqlite';
import { basename, join } from 'node:path';
import { copyDatabase } from '../../hub/db/copy.ts';
import { type Contents, inspect } from '../../hub/db/inspect.ts';
import { openUnmigrated } from '../../hub/db/open.ts';
import { versionOf } from '../../hub/db/version.ts';
import { messageOf } from '../../shared/async.ts';
import { fileErrorOf } from '../../shared/file-errors.ts';
import { readIfThere } from '../../shared/system/files.ts';
import { lockFolder, lockIn } from '../../shared/system/lock.ts';
import { digestOf } from './digest.ts';
import {
  assertRoom,
  assertSameDisk,
  isOfHub,
  listBackups,
  markDisk,
  nameFor,
  removeOldest,
  removeParts,
} from './folder.ts';
import { readForeign } from './foreign.ts';
import { addLabel, type Label, readLabel } from './label.ts';
import { type KeyState, packKey, unpackKey } from './packed-key.ts';
import { giveToOwner } from './replace.ts';
import { noteFailure, readState, writeState } from './state.ts';

export type BackupSettings = Readonly<{
  /** An absolute path. */
  dir: string;
  /** How many of this hub's are kept. */
  keep: number;
  /** Seals the hub's key; null: it is in clear. */
  passphrase: string | null;
}>;

type Source = {
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
): Promise<Made> {
  const key = await packKey(readIfThere(keyFile), passphrase);
  const contents = copyDatabase(sqlite, to, (copy) =>
    addLabel(copy, { digest: digestOf(copy), key }),
  );
  return { ...contents, key: key === null ? 'none' : key.salt ? 'sealed' : 'clear' };
}

/** `empty`: there is no account yet; `same`: the newest backup has the same contents. */
type Outcome = { made: 'empty' } | Kept;
type Kept = { made: 'same'; file: string } | { made: 'new'; file: string; contents: Made };

/**
 * One after the other, whoever asks. What fails is noted, for the hub to report.
 * @throws Error, for a person, without a path
 */
export async function makeBackup(
  { dir, keep, passphrase }: BackupSettings,
  { dataDir, keyFile }: { dataDir: string; keyFile: string },
  now: () => Date,
): Promise<Outcome> {
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
      await removeParts(dir, id);
      // The clock may have been set back: what it calls later is not the last one.
      const time = now();
      const newest = (await listBackups(dir)).find((one) => isOfHub(one, id) && one.madeAt <= time);
      const file = newest && join(dir, newest.name);
      const isSame = file !== undefined && (await holds(file, digestOf(sqlite), source));
      const outcome: Kept = isSame ? { made: 'same', file } : await write();
      await removeOldest(dir, id, keep, basename(outcome.file));
      markDisk(dir, id);
      giveToHub(outcome.file, dataDir);
      const fine = { failure: null, notRestored: null };
      writeState(dataDir, dir, { device, succeededAt: now().getTime(), ...fine });
      return outcome;

      async function write(): Promise<Kept> {
        assertRoom(dir, 'BACKUP_DIR', count('PRAGMA page_count') * count('PRAGMA page_size'));
        const file = join(dir, nameFor(id, time));
        return { made: 'new', file, contents: await writeBackup(source, file) };
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

/** Not every disk knows owners. */
function giveToHub(file: string, dataDir: string): void {
  try {
    giveToOwner(file, dataDir);
  } catch (error) {
    if (fileErrorOf(error) === null) throw error;
  }
}

function lockBackups(dataDir: string): () => void {
  try {
    const release = lockFolder(dataDir, 'backup');
    giveToOwner(lockIn(dataDir, 'backup'));
    return release;
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as { code?: unknown };
    const isHeld = code === 'SQLITE_BUSY';
    throw new Error(
      isHeld ? 'another backup is under way, or hangs with its disk' : 'DATA_DIR cannot be locked',
      { cause },
    );
  }
}

/** Whether a backup is intact and has these contents, with the same key for the same passphrase. */
async function holds(file: string, digest: string, { keyFile, passphrase }: Source) {
  const label = labelOf(file, digest);
  if (!label) return false;
  const now = await packKey(readIfThere(keyFile), null);
  if (!(now && label.key)) return now === label.key;
  if ((label.key.salt !== null) !== (passphrase !== null)) return false;
  return unpackKey(label.key, passphrase).then(
    (text) => text === now.key.toString(),
    () => false,
  );
}

/** Null if it is damaged, no backup, or has another digest. */
function labelOf(file: string, digest: string): Label | null {
  try {
    return readForeign(file, (sqlite) => {
      const label = readLabel(sqlite);
      if (label?.digest !== digest) return null;
      inspect(sqlite, file);
      return label;
    });
  } catch {
    return null;
  }
}
