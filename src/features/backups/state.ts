/** What is known of the backups in `BACKUP_DIR`: its disk, the last success and failure; in a file of the data folder. */
import { join } from 'node:path';
import { readIfThere, writeDurably } from '../../shared/system/files.ts';
import { giveToOwner } from './replace.ts';

export type BackupState = Readonly<{
  /** The folder that the rest is about. */
  dir: string;
  /** `st_dev` of the folder at the first backup; null: there is none yet. */
  device: number | null;
  /** When a backup was written last, or the newest one found to have the same contents; milliseconds since 1970. */
  succeededAt: number | null;
  /** Since when they fail, when the last one did, and why; null if the last one did not. */
  failure: Readonly<{ since: number; at: number; reason: string }> | null;
  /** Why the last restore that the running hub began came to nothing; null: it did not. */
  notRestored: string | null;
  /** The version of the program that ran last. */
  program: string | null;
}>;

const fileIn = (dataDir: string): string => join(dataDir, 'backups.json');

/** For another folder than before, only the program's version is known. */
export function readState(dataDir: string, dir: string): BackupState {
  const stored = parse(fileIn(dataDir));
  const none = { dir, device: null, succeededAt: null, failure: null, notRestored: null };
  const program = stored.program ?? null;
  return stored.dir === dir ? { ...none, ...stored, program } : { ...none, program };
}

/** @throws file system errors */
export function writeState(dataDir: string, dir: string, more: Partial<BackupState>): void {
  const state = { ...readState(dataDir, dir), ...more };
  writeDurably(fileIn(dataDir), `${JSON.stringify(state)}\n`, 0o600);
  giveToOwner(fileIn(dataDir));
}

export function noteFailure(dataDir: string, dir: string, reason: string, at: number): void {
  const since = readState(dataDir, dir).failure?.since ?? at;
  writeState(dataDir, dir, { failure: { since, at, reason } });
}

/** A file that someone damaged, or made theirs, is as good as none: the next backup replaces it. */
function parse(file: string): Partial<BackupState> {
  try {
    return JSON.parse(readIfThere(file) ?? '{}') ?? {};
  } catch {
    return {};
  }
}
