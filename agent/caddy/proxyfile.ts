/**
 * The proxyfile on disk: written beside, made durable, swapped in whole. It knows which texts it
 * wrote itself, and keeps what somebody else put there.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readIfThere } from '../../src/shared/files.ts';

export type Proxyfile = ReturnType<typeof createProxyfile>;

/** How many texts it remembers having written; a crash can bring back the last but one at most. */
const REMEMBERED = 20;

/** Lower-case hex SHA-256 of a text's UTF-8 bytes. */
export const digestOf = (text: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex');

/**
 * @param path the file Caddy would start from
 */
export function createProxyfile(path: string, now: () => Date) {
  const candidate = `${path}.candidate`;
  const ledger = `${path}.signalbox`;
  let known: string[] = readLedger(ledger);

  /** Copied beside, never over an earlier copy. */
  function keepForeign(): string | null {
    const text = readIfThere(path);
    if (text === null || known.includes(digestOf(text))) return null;
    const first = `${path}.before-signalbox`;
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    const copy = existsSync(first) ? `${path}.changed-${stamp}` : first;
    copyFileSync(path, copy);
    return copy;
  }

  return {
    read: (): string | null => readIfThere(path),

    /** Whether a file stands there that was not written here. */
    isForeign(): boolean {
      const text = readIfThere(path);
      return text !== null && !known.includes(digestOf(text));
    },

    /** Writes `text` beside the file and syncs it, off the event loop. @throws file system errors */
    async writeCandidate(text: string): Promise<void> {
      const handle = await open(candidate, 'w', 0o644);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },

    dropCandidate: (): void => rmSync(candidate, { force: true }),

    /**
     * Renames the candidate over the file and syncs the folder, so that a power cut leaves the one
     * or the other. What somebody else wrote is kept as a copy first.
     * @returns the path of that copy, or null
     * @throws file system errors
     */
    swapIn(digest: string): string | null {
      const copy = keepForeign();
      if (!known.includes(digest)) {
        known = [...known, digest].slice(-REMEMBERED);
        writeFileSync(ledger, `${known.join('\n')}\n`);
      }
      renameSync(candidate, path);
      const folder = openSync(dirname(path), 'r');
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
      return copy;
    },
  };
}

function readLedger(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
