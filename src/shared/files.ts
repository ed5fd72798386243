/** Reads and writes whole files. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ofFile } from './file-errors.ts';

/**
 * Makes a folder that only its owner can enter, and closes one that exists if it is ours. Not one with
 * mode 0710, which a Caddy of its own user passes through, nor one that all users share, like /tmp.
 * @throws file system errors
 */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const isShared = (mode & 0o1000) !== 0 || folder === '/';
  if (uid !== process.getuid?.() || isShared || (mode & 0o777) === 0o710) return;
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Whether something failed only because this process, or the machine, has no descriptors left. */
export const lacksDescriptors = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** The file's text, or null if there is no file. @throws other file system errors */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw ofFile(file, error);
  }
}

/** Whether this process can create files in a folder. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces a file with what `fill` writes to a temporary path beside it. A crash, a power cut or a full
 * disk at any moment leaves the old file or the new one, both whole. The new name itself is safe once
 * the folder is synced: `writeDurably` does that.
 * @throws file system errors, with the old file unchanged
 */
export function replaceWhole(file: string, fill: (part: string) => void): void {
  const part = `${file}.part`;
  try {
    // Left by a crash.
    rmSync(part, { force: true });
    fill(part);
    syncPath(part);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true, recursive: true });
    throw ofFile(file, error);
  }
}

/** Replaces a file with `text`, whole, safe from a power cut from now on. @throws file system errors */
export function writeDurably(file: string, text: string, mode: number): void {
  replaceWhole(file, (part) => writeFileSync(part, text, { mode, flag: 'wx' }));
  syncPath(dirname(file));
}

/** Syncs a file, or the names in a folder, so that it survives a power cut. @throws file system errors */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
