/** `signalbox restore FILE`: a backup becomes the database of a hub that does not run. */
import { createWriteStream, existsSync, lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isFull } from '../../hub/db/copy.ts';
import { describeContents } from '../../hub/db/inspect.ts';
import { databaseIn } from '../../hub/db/open.ts';
import { BESIDE, giveToOwner, makeReady, putInPlace } from '../../hub/db/replace.ts';
import { lockFolder } from '../../shared/lock.ts';

export type RestoreDeps = {
  /** The data folder; made where there is none. */
  folder: string;
  now: () => Date;
  /** A file's bytes, `-` for standard input. */
  open: (file: string) => Readable;
  out: (text: string) => void;
  err: (text: string) => void;
};

/** @returns the exit code: 1 with the database as it was */
export async function restore(
  file: string,
  { folder, now, open, out, err }: RestoreDeps,
): Promise<number> {
  const name = file === '-' ? 'standard input' : file;
  const current = databaseIn(folder);
  const staged = `${current}.restoring`;
  let release: (() => void) | undefined;
  try {
    if (file !== '-' && !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw new Error(`${file} cannot be read`);
    }
    release = lock(folder);
    forget(staged);
    await bring(file, staged, open);
    const contents = makeReady(staged, name);
    const kept = putInPlace(staged, current, now().toISOString().replaceAll(/[:.]/g, '-'));
    out(`${current}: ${describeContents(contents)}\n`);
    if (kept !== null) out(`the database before it is kept as ${kept}\n`);
    out('Start the hub: it publishes these sites. Everybody has to sign in anew.\n');
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    err(`signalbox restore: ${isFull(error) ? 'the disk is full' : reason}\n`);
    return 1;
  } finally {
    if (release) forget(staged);
    release?.();
  }
}

/** Copied before SQLite sees it: it would write beside a file that is not ours. */
async function bring(file: string, staged: string, open: RestoreDeps['open']): Promise<void> {
  const write = (path: string) => createWriteStream(path, { mode: 0o600, flags: 'wx' });
  await pipeline(open(file), write(staged));
  const log = `${file}-wal`;
  // A database that was copied with its log is only whole with it.
  if (file !== '-' && existsSync(log)) await pipeline(open(log), write(`${staged}-wal`));
}

function lock(folder: string): () => void {
  const file = join(folder, 'hub.lock');
  // Root would make a file wherever the user of the folder wants one.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${file} is a symbolic link`);
  }
  try {
    const release = lockFolder(folder, 'hub');
    giveToOwner(file);
    return release;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${reason}; stop it first`, { cause });
  }
}

function forget(staged: string): void {
  for (const end of ['', ...BESIDE]) rmSync(staged + end, { force: true });
}
