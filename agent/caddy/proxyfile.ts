/**
 * The Caddyfile on disk: written beside the old one, synced, swapped in whole. Remembers which texts
 * it wrote and for which hub, and keeps a copy of any other before it replaces it.
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
  /** The hub whose text was swapped in last; null if none was, or by a version that did not note it. */
  owner(): string | null;
  /** Writes `text` beside the file and syncs it, off the event loop. @throws file system errors */
  writeCandidate(text: string): Promise<void>;
  dropCandidate(): void;
  /**
   * Renames the candidate over the file and syncs the folder, so that a power cut leaves one or the
   * other. A file that was not written here, or for another hub, is copied first.
   * @param digest of the candidate
   * @returns the path of that copy, or null
   * @throws file system errors
   */
  swapIn(digest: string, options?: SwapOptions): string | null;
};

export type SwapOptions = {
  /** The hub that the candidate is for; without it, the owner stays. */
  hub?: string | undefined;
  /** Whether any other text is copied first, even one that was written here for the same hub. */
  keep?: boolean | undefined;
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
  let { owner, known } = readLedger(ledger);

  /** Copies the file beside it, never over an earlier copy, if `digest` replaces what must not be lost. */
  function keepCopy(digest: string, { hub, keep }: SwapOptions): string | null {
    const text = readIfThere(path);
    if (text === null || digestOf(text) === digest) return null;
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    let end: string;
    if (!known.includes(digestOf(text))) {
      end = existsSync(`${path}.before-signalbox`) ? `changed-${stamp}` : 'before-signalbox';
    } else if (isOther(owner, hub)) {
      end = `before-${stamp}`;
    } else if (keep) {
      end = `changed-${stamp}`;
    } else {
      return null;
    }
    const copy = `${path}.${end}`;
    replaceWhole(copy, (part) => copyFileSync(path, part));
    return copy;
  }

  function remember(digest: string, hub = owner): void {
    if (known.includes(digest) && hub === owner) return;
    const texts = isOther(owner, hub) ? [] : known.filter((one) => one !== digest);
    const next = [...texts, digest].slice(-REMEMBERED);
    const lines = hub === null ? next : [`${OWNER}${hub}`, ...next];
    // On disk before the Caddyfile is: otherwise that one would count as foreign.
    writeDurably(ledger, `${lines.join('\n')}\n`, 0o644);
    known = next;
    owner = hub;
  }

  return {
    read: () => readIfThere(path),

    isForeign() {
      const text = readIfThere(path);
      return text !== null && !known.includes(digestOf(text));
    },

    owner: () => owner,

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

    swapIn(digest, options = {}) {
      const copy = keepCopy(digest, options);
      remember(digest, options.hub);
      renameSync(candidate, path);
      syncPath(dirname(path));
      return copy;
    },
  };
}

/** Whether a hub that is known is another than the one that asks. */
export const isOther = (owner: string | null, hub: string | null | undefined): boolean =>
  owner !== null && hub != null && owner !== hub;

/** What the line with the owner begins with; the others are digests, the newest last. */
const OWNER = 'hub ';

function readLedger(file: string): { owner: string | null; known: string[] } {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    lines = [];
  }
  const owner = lines.find((line) => line.startsWith(OWNER))?.slice(OWNER.length) ?? null;
  return { owner, known: lines.filter((line) => !line.startsWith(OWNER)) };
}
