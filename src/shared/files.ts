/** Reads and writes whole files. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The file's text, or null if there is no file. @throws other file system errors */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
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
