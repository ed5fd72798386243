/** `signalbox restore` and `signalbox promote`: replace the database with a copy while the hub is stopped. */
import { createReadStream, statSync } from 'node:fs';
import { isFull } from '../../../hub/db/fault.ts';
import { describeContents } from '../../../hub/db/inspect.ts';
import { databaseIn } from '../../../hub/db/open.ts';
import { unstage } from '../../../hub/db/staged.ts';
import { type Cli, EXIT } from '../../../program/cli/command.ts';
import { secretKeyIn } from '../../../program/data-folder.ts';
import { messageOf } from '../../../shared/async.ts';
import { lockFolder, lockIn } from '../../../shared/system/lock.ts';
import { visible } from '../../../shared/visible.ts';
import { PassphraseError } from '../packed-key.ts';
import { giveToOwner } from '../replace.ts';
import { type Restoration, stageRestore } from '../restore.ts';

/**
 * @param file `-` for standard input
 * @returns the exit code; unless that is 0, the database is unchanged
 */
export async function restore(
  file: string,
  restoration: Omit<Restoration, 'keyFile'>,
  { out, err }: Pick<Cli, 'out' | 'err'>,
): Promise<number> {
  const { folder, promote, withoutKey } = restoration;
  const name = file === '-' ? 'standard input' : file;
  const key = secretKeyIn(folder);
  let release: (() => void) | undefined;
  try {
    if (file !== '-' && !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw new Error(`${file} cannot be read`);
    }
    release = lock(folder);
    const { contents, lacksKey, put } = await stageRestore(
      file,
      name,
      { ...restoration, keyFile: key },
      openFile,
    );
    if (lacksKey && promote && !withoutKey) {
      throw new Error(
        `${name} has enrolled agents or secrets, but their key is missing: copy secret-key from the first hub's DATA_DIR to ${key}, or use --without-key if it is lost; /status then says what to do without it`,
      );
    }
    const kept = put(new Date());
    out(`${visible(databaseIn(folder))}: ${describeContents(contents)}\n`);
    if (kept.database !== null) {
      out(`The previous database was kept as ${visible(kept.database)}\n`);
    }
    if (kept.key !== null) out(`The previous secret-key was kept as ${visible(kept.key)}\n`);
    if (promote)
      out('Once it runs, agents obey this hub and refuse the old one. Switch the old one off.\n');
    if (lacksKey) {
      out(
        `${visible(key)} is missing: copy it from the machine of the backup before you start the hub. If it is lost, /status says what to do without it.\n`,
      );
    }
    out('Start the hub to publish these sites. Everyone has to sign in again.\n');
    return EXIT.done;
  } catch (error) {
    const reason = isFull(error) ? 'the disk is full' : messageOf(error);
    const hint =
      error instanceof PassphraseError
        ? '; set BACKUP_PASSPHRASE, or use --without-key if it is lost'
        : '';
    err(`signalbox ${promote ? 'promote' : 'restore'}: ${reason}${hint}\n`);
    return EXIT.failed;
  } finally {
    if (release) unstage(folder);
    release?.();
  }
}

const openFile = (path: string) => (path === '-' ? process.stdin : createReadStream(path));

function lock(folder: string): () => void {
  try {
    const release = lockFolder(folder, 'hub');
    giveToOwner(lockIn(folder, 'hub'));
    return release;
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as { code?: unknown };
    throw code === 'SQLITE_BUSY' ? new Error(`${messageOf(cause)}; stop it first`) : cause;
  }
}
