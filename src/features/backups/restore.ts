/** Restores a backup: prepares it beside the database, and then puts it in its place, with its key. */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Contents } from '../../hub/db/inspect.ts';
import { databaseIn } from '../../hub/db/open.ts';
import { keyFrom, markOf } from '../../hub/db/sealing.ts';
import { type Staged, stagedIn, unstage } from '../../hub/db/staged.ts';
import { readIfThere, removeOldCopies, writeDurably } from '../../shared/system/files.ts';
import { takeLabel } from './label.ts';
import { type PackedKey, unpackKey } from './packed-key.ts';
import { giveToOwner, keep, makeReady, putInPlace } from './replace.ts';

export type Restoration = {
  /** The data folder; created if there is none. */
  folder: string;
  /** The file with the key of the hub. */
  keyFile: string;
  /** Opens the key in the backup; null: none is known. */
  passphrase: string | null;
  /** Whether to do without that key, and so without secrets and enrolled agents, if it cannot be opened. */
  withoutKey: boolean;
  /** Makes agents obey this copy alone; see `setTerm`. */
  promote?: { above: number };
};

export type StagedBackup = Staged & {
  contents: Contents;
  /** Whether there will be no key though something needs it. */
  lacksKey: boolean;
};

/**
 * Copies the backup, because SQLite writes files beside a database, and checks it.
 * @param name names the file in error messages
 * @param open a file's bytes
 * @throws PassphraseError if its key cannot be opened; Error as `makeReady`. Nothing is left then
 */
export async function stageRestore(
  file: string,
  name: string,
  restoration: Restoration,
  open: (file: string) => Readable = createReadStream,
): Promise<StagedBackup> {
  const { folder, keyFile, promote } = restoration;
  const staged = stagedIn(folder);
  const current = databaseIn(folder);
  unstage(folder);
  try {
    const copy = (from: string, to: string) =>
      pipeline(open(from), createWriteStream(to, { mode: 0o600, flags: 'wx' }));
    await copy(file, staged);
    // A database that was copied with its log is incomplete without it.
    if (file !== '-' && existsSync(`${file}-wal`)) await copy(`${file}-wal`, `${staged}-wal`);
    const { contents, removed } = makeReady(staged, name, { current, promote }, takeLabel);
    const key = await newKey(removed?.key ?? null, restoration);
    return {
      contents,
      lacksKey: contents.needsKey && key === null && !existsSync(keyFile),
      put(now) {
        const stamp = now.toISOString().replaceAll(/[:.]/g, '-');
        // First: should this be cut off, the old database says that the key is another one.
        const oldKey = key === null ? null : replaceKey(keyFile, key, stamp);
        try {
          if (existsSync(keyFile)) giveToOwner(keyFile);
          return { database: putInPlace(staged, current, stamp), key: oldKey };
        } catch (error) {
          // Unless the new database is there already, the old one needs its key.
          if (existsSync(staged) && oldKey !== null) renameSync(oldKey, keyFile);
          else if (existsSync(staged) && key !== null) rmSync(keyFile);
          throw error;
        }
      },
    };
  } catch (error) {
    unstage(folder);
    throw error;
  }
}

/** The text of the key that the backup has; null if it has none, it is there, or has to be done without. */
async function newKey(
  packed: PackedKey | null,
  { keyFile, passphrase, withoutKey }: Restoration,
): Promise<string | null> {
  const present = keyFrom(readIfThere(keyFile));
  if (!packed || (present && markOf(present).equals(packed.mark))) return null;
  try {
    return await unpackKey(packed, passphrase);
  } catch (error) {
    if (withoutKey) return null;
    throw error;
  }
}

/** @returns where the old one is now; null if there was none */
function replaceKey(keyFile: string, key: string, stamp: string): string | null {
  const kept = existsSync(keyFile) ? `${keyFile}.before-restore-${stamp}` : null;
  if (kept !== null) {
    keep(keyFile, kept);
    removeOldCopies(`${keyFile}.before-restore-`);
  }
  writeDurably(keyFile, `${key}\n`, 0o600);
  return kept;
}
