/** `signalbox backup [FILE]`: copies the database with its key, whether or not the hub is running. */
import { randomBytes } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describeContents } from '../../../hub/db/inspect.ts';
import { databaseIn, openUnmigrated } from '../../../hub/db/open.ts';
import { BESIDE } from '../../../hub/db/staged.ts';
import { type Cli, EXIT } from '../../../program/cli/command.ts';
import { secretKeyIn } from '../../../program/data-folder.ts';
import { messageOf } from '../../../shared/async.ts';
import { visible } from '../../../shared/visible.ts';
import { type BackupSettings, type Made, makeBackup, writeBackup } from '../make.ts';

/**
 * @param file where to write it, `-` for standard output
 * @param force whether to replace a file that exists
 * @param folder the data folder
 * @param passphrase seals the key; null: it is in clear
 * @returns the exit code
 */
export async function backup(
  file: string,
  { force, folder, passphrase }: { force: boolean; folder: string; passphrase: string | null },
  { out, err, host }: Pick<Cli, 'out' | 'err' | 'host'>,
): Promise<number> {
  const toOut = file === '-';
  const target = toOut ? `${databaseIn(folder)}.${randomBytes(6).toString('hex')}.sending` : file;
  try {
    // A database would garble it.
    if (toOut && host.writesToTerminal)
      throw new Error('refusing to write a database to a terminal; give a FILE');
    if (!toOut) assertFree(file, force, folder);
    const sqlite = openUnmigrated(folder);
    try {
      const source = { sqlite, keyFile: secretKeyIn(folder), passphrase };
      const contents = await writeBackup(source, target);
      if (toOut) await pipeline(createReadStream(target), process.stdout, { end: false });
      const say = toOut ? err : out;
      say(`${toOut ? 'backup' : visible(file)}: ${describeContents(contents)}\n`);
      say(aboutKey(contents));
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

/** What a person has to know of the key in a backup; empty: nothing. */
function aboutKey({ key, needsKey }: Made): string {
  if (key === 'clear') {
    return 'It contains secret-key in clear: keep it private, or set BACKUP_PASSPHRASE to seal the key.\n';
  }
  if (key === 'sealed') return 'It contains secret-key, sealed with BACKUP_PASSPHRASE.\n';
  return needsKey
    ? 'Not included: secret-key, the key to its secrets and to enrolled agents; it is missing.\n'
    : '';
}

/** Makes one in `BACKUP_DIR`, as the hub does once a day. @returns the exit code */
export async function backupToFolder(
  settings: BackupSettings,
  folder: string,
  { out, err }: Pick<Cli, 'out' | 'err'>,
): Promise<number> {
  try {
    const now = () => new Date();
    const keyFile = secretKeyIn(folder);
    const outcome = await makeBackup(settings, { dataDir: folder, keyFile }, now);
    if (outcome.made === 'empty') out('There is no account yet, and so nothing to back up.\n');
    else if (outcome.made === 'same') {
      out(`${visible(outcome.file)}: has the same contents; nothing was written\n`);
    } else {
      const { file, contents } = outcome;
      out(`${visible(file)}: ${describeContents(contents)}\n${aboutKey(contents)}`);
    }
    return EXIT.done;
  } catch (error) {
    err(`signalbox backup: ${messageOf(error)}\n`);
    return EXIT.failed;
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
