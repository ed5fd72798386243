/** `signalbox restore` and `signalbox promote`: replace the database with a copy while the hub is stopped. */
import { createWriteStream, existsSync, lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isFull } from '../../hub/db/fault.ts';
import { describeContents } from '../../hub/db/inspect.ts';
import { databaseIn } from '../../hub/db/open.ts';
import { BESIDE, giveToOwner, makeReady, putInPlace } from '../../hub/db/replace.ts';
import { messageOf } from '../../shared/async.ts';
import { lockFolder } from '../../shared/system/lock.ts';
import { adoptAgentsKey, secretKeyIn } from '../data-folder.ts';
import { visible } from '../visible.ts';
import { EXIT } from './command.ts';

export type RestoreDeps = {
  /** The data folder; created if there is none. */
  folder: string;
  now: () => Date;
  /** A file's bytes, `-` for standard input. */
  open: (file: string) => Readable;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Makes agents obey this copy alone; see `setTerm`. */
  promote?: {
    above: number;
    /** Whether to do so even if the key of its secrets and enrolled agents is not there. */
    withoutKey: boolean;
  };
};

/** @returns the exit code; unless that is 0, the database is unchanged */
export async function restore(
  file: string,
  { folder, now, open, out, err, promote }: RestoreDeps,
): Promise<number> {
  const name = file === '-' ? 'standard input' : file;
  const current = databaseIn(folder);
  const key = secretKeyIn(folder);
  const staged = `${current}.restoring`;
  let release: (() => void) | undefined;
  try {
    if (file !== '-' && !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw new Error(`${file} cannot be read`);
    }
    release = lock(folder);
    adoptAgentsKey(folder);
    forget(staged);
    await stage(file, staged, open);
    const contents = makeReady(staged, name, { current, promote });
    const lacksKey = contents.needsKey && !existsSync(key);
    if (lacksKey && promote && !promote.withoutKey) {
      throw new Error(
        `${name} has enrolled agents or secrets, but their key is missing: copy secret-key from the first hub's DATA_DIR to ${key}, or use --without-key if it is lost; /status then says what to do without it`,
      );
    }
    const kept = putInPlace(staged, current, now().toISOString().replaceAll(/[:.]/g, '-'));
    out(`${visible(current)}: ${describeContents(contents)}\n`);
    if (kept !== null) out(`The previous database was kept as ${visible(kept)}\n`);
    if (promote)
      out('Once it runs, agents obey this hub and refuse the old one. Switch the old one off.\n');
    if (contents.needsKey && !lacksKey) giveToOwner(key);
    if (lacksKey) {
      out(
        `${visible(key)} is missing: copy it from the machine of the backup before you start the hub. If it is lost, /status says what to do without it.\n`,
      );
    }
    out('Start the hub to publish these sites. Everyone has to sign in again.\n');
    return EXIT.done;
  } catch (error) {
    err(
      `signalbox ${promote ? 'promote' : 'restore'}: ${isFull(error) ? 'the disk is full' : messageOf(error)}\n`,
    );
    return EXIT.failed;
  } finally {
    if (release) forget(staged);
    release?.();
  }
}

/** Copies the backup before SQLite opens it: SQLite writes files beside a database. */
async function stage(file: string, staged: string, open: RestoreDeps['open']): Promise<void> {
  const write = (path: string) => createWriteStream(path, { mode: 0o600, flags: 'wx' });
  await pipeline(open(file), write(staged));
  const log = `${file}-wal`;
  // A database that was copied with its log is incomplete without it.
  if (file !== '-' && existsSync(log)) await pipeline(open(log), write(`${staged}-wal`));
}

function lock(folder: string): () => void {
  const file = join(folder, 'hub.lock');
  // As root, following the link would create a file wherever the folder's owner wants one.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${file} is a symbolic link`);
  }
  try {
    const release = lockFolder(folder, 'hub');
    giveToOwner(file);
    return release;
  } catch (cause) {
    const { code } = (cause as Error).cause as { code?: unknown };
    throw code === 'SQLITE_BUSY' ? new Error(`${messageOf(cause)}; stop it first`) : cause;
  }
}

function forget(staged: string): void {
  for (const end of ['', ...BESIDE]) rmSync(staged + end, { force: true });
}
