/** Has a backup made once a day, and lists and restores those in `BACKUP_DIR`, without waiting for its disk. */
import type { Readable } from 'node:stream';
import type { HubCore } from '../../hub/core.ts';
import { unstage } from '../../hub/db/staged.ts';
import { messageOf } from '../../shared/async.ts';
import { every } from '../../shared/every.ts';
import { Failure } from '../../shared/failure.ts';
import { fileErrorOf } from '../../shared/file-errors.ts';
import { assertRoom, type Backup } from './folder.ts';
import type { BackupSettings } from './make.ts';
import { PassphraseError } from './packed-key.ts';
import { type StagedBackup, stageRestore } from './restore.ts';
import { type BackupState, noteFailure, readState, writeState } from './state.ts';

/**
 * `BACKUP_DIR`, through processes of their own: it may hang, and a thread of the hub with it.
 * All throw Error, for a person.
 */
export type BackupDisk = {
  make: (signal: AbortSignal) => Promise<void>;
  /** The newest first. */
  list: (signal: AbortSignal) => Promise<Backup[]>;
  /** The bytes of one. */
  read: (name: string, signal: AbortSignal) => Readable;
};

/** Milliseconds, as `PACE` in hub.ts. */
type Pace = Readonly<{ look: number; every: number; retry: number }>;

type Restoring = {
  passphrase: string | undefined;
  withoutKey: boolean;
  /** Whether they who asked may still do this. @throws Failure */
  assertAllowed: () => void;
};

export type Backups = {
  settings: BackupSettings | null;
  /** Null without settings. */
  state(): BackupState | null;
  /** The newest first. @throws Failure STORAGE_UNAVAILABLE, STOPPING */
  list(): Promise<Backup[]>;
  /** One at a time: whoever asks meanwhile gets the same. @throws Failure INVALID_REQUEST, STORAGE_UNAVAILABLE, STOPPING */
  make(): Promise<void>;
  /** @throws Failure NOT_FOUND, INVALID_REQUEST, STORAGE_UNAVAILABLE, STOPPING */
  stage(name: string, how: Restoring): Promise<StagedBackup>;
  /** Notes why what was staged did not take the place of the database. */
  notRestored(reason: string): void;
  begin(): void;
  /** Also what is being made. */
  end(): void;
};

/** @param disk null without settings */
export function createBackups(
  core: Pick<HubCore, 'dataDir' | 'keyFile' | 'isShared' | 'isEmpty' | 'now' | 'log'>,
  settings: BackupSettings | null,
  disk: BackupDisk | null,
  pace: Pace,
): Backups {
  const { dataDir, keyFile, isShared, isEmpty, now, log } = core;
  const over = new AbortController();
  let making: Promise<void> | null = null;
  let listing: Promise<Backup[]> | null = null;
  let isRestoring = false;

  function given(): { dir: string; disk: BackupDisk } {
    if (settings && disk) return { dir: settings.dir, disk };
    throw new Failure('INVALID_REQUEST', 'The hub makes no backups: set BACKUP_DIR.');
  }

  const state = () => (settings ? readState(dataDir, settings.dir) : null);

  async function makeOne({ dir, disk }: ReturnType<typeof given>): Promise<void> {
    try {
      await disk.make(over.signal);
    } catch (error) {
      const reason = messageOf(error);
      log('backup not made', { reason }, 'warn');
      if (over.signal.aborted) throw stopping('no backup was made');
      // A process that hangs cannot do so.
      noteFailure(dataDir, dir, reason, now().getTime());
      throw new Failure('STORAGE_UNAVAILABLE', `No backup was made: ${reason}.`, { cause: error });
    }
  }

  function make(): Promise<void> {
    const where = given();
    if (isEmpty()) {
      throw new Failure('INVALID_REQUEST', 'There is no account yet, and so nothing to back up.');
    }
    making ??= makeOne(where).finally(() => {
      making = null;
    });
    return making;
  }

  function isDue({ succeededAt, failure }: BackupState): boolean {
    const time = now().getTime();
    // The clock may have been set back.
    const isOlder = (at: number, than: number) => at > time || time - at >= than;
    if (failure) return isOlder(failure.at, pace.retry);
    return succeededAt === null || isOlder(succeededAt, pace.every);
  }

  /** Never fails. */
  async function look(): Promise<void> {
    try {
      const known = state();
      if (known && !isEmpty() && isDue(known)) await make();
    } catch (error) {
      if (!(error instanceof Failure)) log('backup not made', { reason: messageOf(error) }, 'warn');
    }
  }

  const looks = every({ pause: pace.look, first: pace.look }, look);

  async function list(): Promise<Backup[]> {
    listing ??= given()
      .disk.list(over.signal)
      .finally(() => {
        listing = null;
      });
    try {
      return await listing;
    } catch (error) {
      if (over.signal.aborted) throw stopping('no backup was read');
      throw unavailable('The backups cannot be listed', error);
    }
  }

  return {
    settings,
    state,
    list,
    make: async () => make(),

    async stage(name, { passphrase, withoutKey, assertAllowed }) {
      const { dir, disk } = given();
      const found = (await list()).find((one) => one.name === name);
      if (!found) throw new Failure('NOT_FOUND', 'There is no such backup.');
      if (isRestoring) throw new Failure('STOPPING', 'Another backup is being restored.');
      isRestoring = true;
      try {
        writeState(dataDir, dir, { notRestored: null });
        assertRoom(dataDir, 'DATA_DIR', found.bytes);
        const restoration = {
          folder: dataDir,
          keyFile,
          withoutKey,
          passphrase: passphrase ?? settings?.passphrase ?? null,
        };
        const staged = await stageRestore('-', 'the backup', restoration, () =>
          disk.read(name, over.signal),
        );
        // A backup that is just being made has it open as well.
        await making?.catch(() => {});
        if (isShared()) {
          throw new Error('another program has the database open (Litestream?); stop it first');
        }
        assertAllowed();
        return staged;
      } catch (error) {
        isRestoring = false;
        unstage(dataDir);
        if (error instanceof Failure) throw error;
        if (over.signal.aborted) throw stopping('nothing was changed');
        if (error instanceof PassphraseError) {
          const hint = 'Without the key, all is restored but the secrets that it seals.';
          const message =
            passphrase === undefined ? 'Enter the passphrase of this backup.' : 'Wrong passphrase.';
          throw new Failure('INVALID_REQUEST', message, { hint, at: { field: 'passphrase' } });
        }
        throw unavailable('The backup was not restored, and nothing was changed', error);
      }
    },

    notRestored: (reason) => writeState(dataDir, given().dir, { notRestored: reason }),

    begin() {
      if (settings) looks.begin();
    },

    end() {
      over.abort();
      // A disk that hangs keeps no hub from stopping.
      void looks.end();
    },
  };
}

const stopping = (consequence: string) =>
  new Failure('STOPPING', `The hub is stopping; ${consequence}.`);

/** No path of the host gets to a client. */
function unavailable(what: string, error: unknown): Failure {
  const reason = fileErrorOf(error, () => 'BACKUP_DIR') ?? messageOf(error);
  return new Failure('STORAGE_UNAVAILABLE', `${what}: ${reason}.`, { cause: error });
}
