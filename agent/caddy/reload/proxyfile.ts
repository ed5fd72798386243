/**
 * The Caddyfile on disk: written beside the old one, synced, swapped in whole. Remembers which texts
 * it wrote and for which hub, and keeps a copy of any other before it replaces it.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  readIfThere,
  removeOldCopies,
  replaceWhole,
  syncPath,
  writeDurably,
  writeDurablyLater,
  writeSynced,
} from '../../../src/shared/system/files.ts';

export type Proxyfile = {
  /** The text on disk, or null if there is no file. @throws file system errors */
  read(): string | null;
  /** Whether there is a file that was not written here. @throws file system errors */
  isForeign(): boolean;
  /**
   * The hub that the proxy obeys: the one that was enrolled last, else the one whose text is live or
   * was swapped in last; null if none was.
   * @param live the hub whose text is live, if that is known
   */
  owner(live?: string | null): string | null;
  /** The highest term of a hub that was noted; 1 if none was. */
  term(hub: string): number;
  /** Whether the text with this digest was checked for this program. */
  isCheckedFor(digest: string, program: string): boolean;
  /** Notes that the text on disk was checked for a program, unless it was not written here. @throws file system errors */
  noteChecked(digest: string, program: string): void;
  /**
   * From now on, obeys `hub` alone, whatever was noted of it or of others. What is on disk counts as
   * not written here unless it is for that hub. @throws file system errors
   */
  enrol(hub: string, term: number): void;
  /** Writes `text` beside the file and syncs it, off the event loop. @throws file system errors */
  writeCandidate(text: string): Promise<void>;
  /**
   * Notes in advance, off the event loop, what `swapIn` would note, so that it need not; not if that is for another
   * hub. A digest that is never swapped in is forgotten with the next note. Never fails: `swapIn` tries again.
   */
  announce(digest: string, options: SwapOptions): Promise<void>;
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
  /** The term of that hub; without it, the first. */
  term?: number | undefined;
  /** The program that the candidate was checked for; without it, what was noted stays. */
  program?: string | null | undefined;
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
  const file = `${path}.signalbox`;
  let ledger = readLedger(file);
  /** What that file is known to hold. */
  let written = '';

  const ownerOf = (live: string | null = null) => ledger.enrolled ?? live ?? ledger.owner;
  const termOf = (hub: string) => ledger.terms.get(hub) ?? 1;

  /** Copies the file beside it, never over an earlier copy, if `digest` replaces what must not be lost. */
  function keepCopy(digest: string, { hub, keep }: SwapOptions): string | null {
    const text = readIfThere(path);
    if (text === null) return null;
    const found = digestOf(text);
    if (found === digest) return null;
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    let end: string;
    if (!ledger.known.includes(found)) {
      end = existsSync(`${path}.before-signalbox`) ? `changed-${stamp}` : 'before-signalbox';
    } else if (isOther(ownerOf(), hub)) {
      end = `before-${stamp}`;
    } else if (keep) {
      end = `changed-${stamp}`;
    } else {
      return null;
    }
    const copy = `${path}.${end}`;
    replaceWhole(copy, (part) => copyFileSync(path, part));
    // The one from before signalbox stays.
    removeOldCopies(`${path}.changed-`);
    removeOldCopies(`${path}.before-2`);
    return copy;
  }

  const isNew = ({ hub, term = 1 }: SwapOptions) =>
    hub !== undefined && (hub !== ownerOf() || term > termOf(hub));

  /** With another text. */
  function withText(digest: string, { hub, term = 1, program }: SwapOptions): Ledger {
    const { owner, enrolled, terms, known, checked } = ledger;
    const mark = program ? `${digest} ${program}` : checked.at(-1);
    const texts = isOther(ownerOf(), hub) ? [] : known.filter((one) => one !== digest);
    return {
      owner: hub ?? owner,
      enrolled: isOther(enrolled, hub) ? null : enrolled,
      terms: hub === undefined ? terms : new Map(terms).set(hub, Math.max(term, termOf(hub))),
      known: [...texts, digest].slice(-REMEMBERED),
      checked: [...checked.filter((one) => one !== mark), ...(mark ? [mark] : [])].slice(-2),
    };
  }

  /** On disk before the Caddyfile is: otherwise that one would count as foreign. */
  function note(next: Ledger): void {
    const text = textOf(next);
    if (text !== written) writeDurably(file, text, 0o644);
    written = text;
    ledger = next;
  }

  return {
    read: () => readIfThere(path),

    isForeign() {
      const text = readIfThere(path);
      return text !== null && !ledger.known.includes(digestOf(text));
    },

    owner: ownerOf,
    term: termOf,
    isCheckedFor: (digest, program) => ledger.checked.includes(`${digest} ${program}`),

    noteChecked(digest, program) {
      if (ledger.known.includes(digest)) note(withText(digest, { program }));
    },

    enrol(hub, term) {
      const known = ownerOf() === hub ? ledger.known : [];
      const { checked } = ledger;
      note({ owner: hub, enrolled: hub, terms: new Map([[hub, term]]), known, checked });
    },

    writeCandidate: (text) => writeSynced(candidate, text, 0o644),

    async announce(digest, options) {
      const text = textOf(withText(digest, options));
      if (isNew(options) || text === written) return;
      written = '';
      const isWritten = writeDurablyLater(file, text, 0o644).then(() => true);
      if (await isWritten.catch(() => false)) written = text;
    },

    dropCandidate: () => rmSync(candidate, { force: true }),

    swapIn(digest, options = {}) {
      const copy = keepCopy(digest, options);
      note(withText(digest, options));
      renameSync(candidate, path);
      syncPath(dirname(path));
      return copy;
    },
  };
}

/** Whether a hub that is known is another than the one that asks. */
export const isOther = (owner: string | null, hub: string | null | undefined): boolean =>
  owner !== null && hub != null && owner !== hub;

/** What the agent remembers beside the Caddyfile: whom it obeys, which texts it wrote, and for which Caddy. */
type Ledger = Readonly<{
  /** The hub whose text was swapped in last; null if none was. */
  owner: string | null;
  /** The hub that was enrolled last, unless another one was allowed to replace its text since. */
  enrolled: string | null;
  /** The highest term of each hub, by its id; the first, 1, is not noted. */
  terms: ReadonlyMap<string, number>;
  /** Digests of the texts, the newest last. */
  known: readonly string[];
  /** The digests of the last two texts that were checked, and the programs that they were checked for. */
  checked: readonly string[];
}>;

/** What a line begins with that is not a digest. */
const OWNER = 'hub ';
const ENROLLED = 'enrolled ';
const TERM = 'term ';
const CHECKED = 'checked ';

/** Empty if there is no file, or it cannot be read. */
function readLedger(file: string): Ledger {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    lines = [];
  }
  const after = (start: string) =>
    lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  const terms = after(TERM).map((line) => {
    const [hub = '', term] = line.split(' ');
    return [hub, Number(term) || 1] as const;
  });
  return {
    owner: after(OWNER)[0] ?? null,
    enrolled: after(ENROLLED)[0] ?? null,
    terms: new Map(terms),
    known: lines.filter((line) => !line.includes(' ')),
    checked: after(CHECKED),
  };
}

const textOf = ({ owner, enrolled, terms, known, checked }: Ledger): string =>
  [
    ...(owner === null ? [] : [OWNER + owner]),
    ...(enrolled === null ? [] : [ENROLLED + enrolled]),
    ...[...terms].filter(([, term]) => term > 1).map(([hub, term]) => `${TERM}${hub} ${term}`),
    ...checked.map((one) => CHECKED + one),
    ...known,
    '',
  ].join('\n');
