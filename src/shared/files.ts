/** Single files, read and written whole. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

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
