/** What the agent remembers beside the Caddyfile: whom it obeys, which texts it wrote, and for which Caddy. */
import { readFileSync } from 'node:fs';
import { writeDurably } from '../../src/shared/files.ts';

export type Ledger = Readonly<{
  /** The hub whose text was swapped in last; null if none was. */
  owner: string | null;
  /** The hub that was enrolled last, unless another one was allowed to replace its text since. */
  enrolled: string | null;
  /** The highest term of each hub, by its id; the first, 1, is not noted. */
  terms: ReadonlyMap<string, number>;
  /** Digests of the texts, the newest last. */
  known: readonly string[];
  /** The digest of the text that was checked last, and the program that it was checked for. */
  checked: string | null;
}>;

/** What a line begins with that is not a digest. */
const OWNER = 'hub ';
const ENROLLED = 'enrolled ';
const TERM = 'term ';
const CHECKED = 'checked ';

/** Empty if there is no file, or it cannot be read. */
export function readLedger(file: string): Ledger {
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
    checked: after(CHECKED)[0] ?? null,
  };
}

/** Safe from a power cut from then on. @throws file system errors */
export function writeLedger(
  file: string,
  { owner, enrolled, terms, known, checked }: Ledger,
): void {
  const lines = [
    ...(owner === null ? [] : [OWNER + owner]),
    ...(enrolled === null ? [] : [ENROLLED + enrolled]),
    ...[...terms].filter(([, term]) => term > 1).map(([hub, term]) => `${TERM}${hub} ${term}`),
    ...(checked === null ? [] : [CHECKED + checked]),
    ...known,
  ];
  writeDurably(file, `${lines.join('\n')}\n`, 0o644);
}
