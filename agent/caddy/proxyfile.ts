/**
 * The Caddyfile on disk: written beside the old one, synced, swapped in whole. Remembers which texts
 * it wrote, and keeps a copy of any other before it replaces it.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readIfThere, replaceWhole, syncPath, writeDurably } from '../../src/shared/files.ts';

export type Proxyfile = {
  /** The text on disk, or null if there is no file. @throws file system errors */
  read(): string | null;
  /** Whether there is a file that was not written here. @throws file system errors */
  isForeign(): boolean;
  /** Writes `text` beside the file and syncs it, off the event loop. @throws file system errors */
  writeCandidate(text: string): Promise<void>;
  dropCandidate(): void;
  /**
   * Renames the candidate over the file and syncs the folder, so that a power cut leaves one or the
   * other. A file that was not written here is copied first.
   * @param digest of the candidate
   * @returns the path of that copy, or null
   * @throws file system errors
   */
  swapIn(digest: string): string | null;
};

/** How many of its texts it remembers; a crash can bring back the last but one at most. */
const REMEMBERED = 20;

/** Lower-case hex SHA-256 of a text's UTF-8 bytes. */
export const digestOf = (text: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex');

/** @param path the file that Caddy would start from */
export function createProxyfile(path: string, now: () => Date): Proxyfile {
  const candidate = `${path}.candidate`;
  const ledger = `${path}.signalbox`;
  let known = readLedger(ledger);

  /** Copies it beside the file, never over an earlier copy. */
  function keepForeign(): string | null {
    const text = readIfThere(path);
    if (text === null || known.includes(digestOf(text))) return null;
    const first = `${path}.before-signalbox`;
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    const copy = existsSync(first) ? `${path}.changed-${stamp}` : first;
    replaceWhole(copy, (part) => copyFileSync(path, part));
    return copy;
  }

  return {
    read: () => readIfThere(path),

    isForeign() {
      const text = readIfThere(path);
      return text !== null && !known.includes(digestOf(text));
    },

    async writeCandidate(text) {
      const handle = await open(candidate, 'w', 0o644);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },

    dropCandidate: () => rmSync(candidate, { force: true }),

    swapIn(digest) {
      const copy = keepForeign();
      if (!known.includes(digest)) {
        const next = [...known, digest].slice(-REMEMBERED);
        // On disk before the Caddyfile is: that one would be taken for somebody else's.
        writeDurably(ledger, `${next.join('\n')}\n`, 0o644);
        known = next;
      }
      renameSync(candidate, path);
      syncPath(dirname(path));
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
