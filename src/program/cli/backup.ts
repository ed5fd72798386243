/** `signalbox backup FILE [--force]`: a copy of the database, whether the hub runs or not. */
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { copyDatabase } from '../../hub/db/copy.ts';
import { describeContents } from '../../hub/db/inspect.ts';
import { databaseIn, openAsItIs } from '../../hub/db/open.ts';
import { BESIDE } from '../../hub/db/replace.ts';

export type BackupDeps = {
  /** The data folder. */
  folder: string;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Sends a file's bytes to standard output. */
  send: (file: string) => Promise<unknown>;
  /** Whether standard output is a terminal, where bytes have no business. */
  toTerminal: boolean;
};

/**
 * @param file where to, `-` for standard output
 * @param force whether a file that stands there may be replaced
 * @returns the exit code
 */
export async function backup(
  file: string,
  force: boolean,
  { folder, out, err, send, toTerminal }: BackupDeps,
): Promise<number> {
  const toOut = file === '-';
  const target = toOut ? `${databaseIn(folder)}.${randomBytes(6).toString('hex')}.sending` : file;
  try {
    if (toOut && toTerminal) throw new Error('a database is nothing for a terminal; name a FILE');
    if (!toOut) assertFree(file, force, folder);
    const sqlite = openAsItIs(folder);
    try {
      const contents = describeContents(copyDatabase(sqlite, target));
      if (toOut) await send(target);
      (toOut ? err : out)(`${toOut ? 'backup' : file}: ${contents}\n`);
      return 0;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    err(`signalbox backup: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    if (toOut) rmSync(target, { force: true });
  }
}

/** @throws Error where something stands there that is not to be replaced */
function assertFree(file: string, force: boolean, folder: string): void {
  const parent = dirname(file);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`there is no folder ${parent}`);
  }
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isFile()) throw new Error(`${file} is not a file`);
  for (const end of ['', ...BESIDE]) {
    const own = statSync(databaseIn(folder) + end, { throwIfNoEntry: false });
    if (own && own.dev === there.dev && own.ino === there.ino) {
      throw new Error(`${file} is the database itself`);
    }
  }
  if (!force) throw new Error(`${file} exists; --force replaces it`);
}
