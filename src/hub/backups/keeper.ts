/** Has a backup made once a day, and lists and restores those in `BACKUP_DIR`, without waiting for its disk. */
import { join } from 'node:path';
import { messageOf, within } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { fileErrorOf } from '../../shared/file-errors.ts';
import type { Log } from '../../shared/log.ts';
import { type Backup, isBackupName, listBackups } from './folder.ts';
import type { BackupSettings } from './make.ts';
import { PassphraseError } from './packed-key.ts';
import { type Staged, stageRestore } from './restore.ts';
import { type BackupState, noteFailure, readState } from './state.ts';

/** Milliseconds: from one look at whether one is due to the next; from one to the next; after a failure. */
export type BackupsPace = Readonly<{ look: number; every: number; retry: number }>;

export type BackupsDeps = {
  settings: BackupSettings | null;
  dataDir: string;
  keyFile: string;
  /** Makes one in another process, which may hang with its disk. @throws Error, for a person */
  make: (signal: AbortSignal) => Promise<void>;
  /** Whether there is no account yet. */
  isEmpty: () => boolean;
  pace: BackupsPace;
  now: () => Date;
  log: Log;
};

export type Restoring = { passphrase: string | undefined; withoutKey: boolean };

export type Backups = {
  settings: BackupSettings | null;
  /** Null without settings. */
  state(): BackupState | null;
  /** The newest first. @throws Failure STORAGE_UNAVAILABLE */
  list(): Promise<Backup[]>;
  /** One at a time: whoever asks meanwhile gets the same. @throws Failure INVALID_REQUEST, STORAGE_UNAVAILABLE */
  make(): Promise<void>;
  /** @throws Failure NOT_FOUND, INVALID_REQUEST, STORAGE_UNAVAILABLE */
  stage(name: string, how: Restoring): Promise<Staged>;
  begin(): void;
  stop(): void;
};

/** How long a disk may take to answer, in milliseconds. */
const PATIENCE_MS = 10_000;

export function createBackups(deps: BackupsDeps): Backups {
  const { settings, dataDir, keyFile, isEmpty, pace, now, log } = deps;
  const over = new AbortController();
  let making: Promise<void> | null = null;
  let listing: Promise<Backup[]> | null = null;
  let isRestoring = false;
  let timer: Timer | undefined;

  function given(): BackupSettings {
    if (settings) return settings;
    throw new Failure('INVALID_REQUEST', 'The hub makes no backups: set BACKUP_DIR.');
  }

  const state = () => (settings ? readState(dataDir, settings.dir) : null);

  async function makeOne(dir: string): Promise<void> {
    const before = now().getTime();
    try {
      await deps.make(over.signal);
    } catch (error) {
      const reason = messageOf(error);
      log('backup not made', { reason }, 'warn');
      const noted = readState(dataDir, dir).failure;
      if (!over.signal.aborted && (noted === null || noted.at < before)) {
        noteFailure(dataDir, dir, reason, now().getTime());
      }
      throw new Failure('STORAGE_UNAVAILABLE', `No backup was made: ${reason}.`, { cause: error });
    }
  }

  function make(): Promise<void> {
    const { dir } = given();
    if (isEmpty()) {
      throw new Failure('INVALID_REQUEST', 'There is no account yet, and so nothing to back up.');
    }
    making ??= makeOne(dir).finally(() => {
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

  async function list(): Promise<Backup[]> {
    const { dir } = given();
    listing ??= listBackups(dir).finally(() => {
      listing = null;
    });
    return reached(listing);
  }

  return {
    settings,
    state,
    list,
    make: async () => make(),

    async stage(name, { passphrase, withoutKey }) {
      const { dir } = given();
      const isThere = isBackupName(name) && (await list()).some((one) => one.name === name);
      if (!isThere) throw new Failure('NOT_FOUND', 'There is no such backup.');
      if (isRestoring) throw new Failure('STOPPING', 'Another backup is being restored.');
      isRestoring = true;
      try {
        return await stageRestore(join(dir, name), 'the backup', {
          ...{ folder: dataDir, keyFile, withoutKey },
          passphrase: passphrase ?? settings?.passphrase ?? null,
        });
      } catch (error) {
        isRestoring = false;
        if (error instanceof PassphraseError) {
          const hint = 'Without the key, all is restored but the secrets that it seals.';
          const message =
            passphrase === undefined ? 'Enter the passphrase of this backup.' : 'Wrong passphrase.';
          throw new Failure('INVALID_REQUEST', message, { hint, at: { field: 'passphrase' } });
        }
        throw unavailable('The backup was not restored, and nothing was changed', error);
      }
    },

    begin() {
      if (!settings) return;
      const next = () => {
        timer = setTimeout(() => void look().finally(() => timer && next()), pace.look);
      };
      next();
    },

    stop() {
      clearTimeout(timer);
      timer = undefined;
      over.abort();
    },
  };
}

/** What a disk says in time. @throws Failure STORAGE_UNAVAILABLE */
async function reached<T>(asked: Promise<T>): Promise<T> {
  try {
    return await within(asked, PATIENCE_MS, () => {
      throw new Error('its disk does not answer');
    });
  } catch (error) {
    throw unavailable('BACKUP_DIR cannot be read', error);
  }
}

/** No path of the host gets to a client. */
function unavailable(what: string, error: unknown): Failure {
  const reason = fileErrorOf(error, () => 'BACKUP_DIR') ?? messageOf(error);
  return new Failure('STORAGE_UNAVAILABLE', `${what}: ${reason}.`, { cause: error });
}
