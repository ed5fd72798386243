/** `signalbox backup FILE [--force]`: copies the database, whether or not the hub is running. */
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { copyDatabase } from '../../hub/db/copy.ts';
import { describeContents } from '../../hub/db/inspect.ts';
import { databaseIn, openUnmigrated } from '../../hub/db/open.ts';
import { BESIDE } from '../../hub/db/replace.ts';
import { messageOf } from '../../shared/async.ts';
import { keyFileIn } from '../data-folder.ts';
import { visible } from '../visible.ts';
import { EXIT } from './command.ts';

export type BackupDeps = {
  /** The data folder. */
  folder: string;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Sends a file's bytes to standard output. */
  send: (file: string) => Promise<unknown>;
  /** Whether standard output is a terminal, which a database would garble. */
  toTerminal: boolean;
};

/**
 * @param file where to write it, `-` for standard output
 * @param force whether to replace a file that exists
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
    if (toOut && toTerminal)
      throw new Error('refusing to write a database to a terminal; give a FILE');
    if (!toOut) assertFree(file, force, folder);
    const sqlite = openUnmigrated(folder);
    try {
      const contents = copyDatabase(sqlite, target);
      if (toOut) await send(target);
      const say = toOut ? err : out;
      say(`${toOut ? 'backup' : visible(file)}: ${describeContents(contents)}\n`);
      if (contents.needsKey) {
        say(
          `Not included: ${visible(keyFileIn(folder))}, the key to its secrets and to enrolled agents. Keep a copy.\n`,
        );
      }
      return EXIT.done;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    err(`signalbox backup: ${messageOf(error)}\n`);
    return EXIT.failed;
  } finally {
    if (toOut) rmSync(target, { force: true });
  }
}

/** @throws Error if `file` cannot be written, or must not be replaced */
function assertFree(file: string, force: boolean, folder: string): void {
  const parent = dirname(file);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`the folder ${parent} does not exist`);
  }
  const existing = statSync(file, { throwIfNoEntry: false });
  if (!existing) return;
  if (!existing.isFile()) throw new Error(`${file} is not a file`);
  for (const end of ['', ...BESIDE]) {
    const own = statSync(databaseIn(folder) + end, { throwIfNoEntry: false });
    if (own && own.dev === existing.dev && own.ino === existing.ino) {
      throw new Error(`${file} is the database itself`);
    }
  }
  if (!force) throw new Error(`${file} already exists; use --force to replace it`);
}
