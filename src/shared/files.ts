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
  writeSync,
} from 'node:fs';

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

/** The file's text, or null if there is no file. @throws other file system errors */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
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

/** Overwrites a file with `text` and syncs it. @throws file system errors */
export function writeDurably(file: string, text: string, mode: number): void {
  const bytes = Buffer.from(text);
  const handle = openSync(file, 'w', mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
