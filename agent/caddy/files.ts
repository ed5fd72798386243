/** The proxyfile on disk: written beside, made durable, swapped in whole. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Lower-case hex SHA-256 of a text's UTF-8 bytes. */
export const digestOf = (text: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex');

/** The file's text, or null where there is none. @throws other file system errors */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes and syncs `text`; whatever stood there is gone. @throws file system errors */
export function writeDurably(file: string, text: string, mode = 0o644): void {
  const bytes = Buffer.from(text);
  const handle = openSync(file, 'w', mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames over `file` and syncs the folder, so that a power cut leaves the one or the other. */
export function swapIn(candidate: string, file: string): void {
  renameSync(candidate, file);
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export const discard = (file: string): void => rmSync(file, { force: true });
