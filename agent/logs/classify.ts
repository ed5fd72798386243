import { entryFacts } from './entry.ts';
import type { Pairs } from './pairs.ts';
import { createScanner } from './scan.ts';

/** The pair of a line that is no access entry. */
export const NO_ENTRY = -1;

/** Tells what the lines of a buffer are, by the fast path or else by JSON.parse. */
export type Classifier = {
  /** Turns to a buffer; also needed when the bytes in it have changed. */
  open(bytes: Buffer): void;
  /**
   * The pair of the line in [start, end) of the buffer, or NO_ENTRY. `ended`: a newline follows,
   * which the fast path relies on.
   */
  pairOf(pairs: Pairs, start: number, end: number, ended?: boolean): number;
  /** Of the entry found last: milliseconds since 1970, or NaN. */
  readonly time: number;
};

export function createClassifier(): Classifier {
  const scanner = createScanner();
  const { found } = scanner;
  let buffer: Buffer = Buffer.alloc(0);
  let time = Number.NaN;

  return {
    get time() {
      return time;
    },

    open(bytes) {
      buffer = bytes;
      scanner.open(bytes);
    },

    pairOf(pairs, start, end, ended = true) {
      if (ended && scanner.scan(start, end)) {
        time = found.time;
        return pairs.ofBytes(buffer, found.hostStart, found.hostEnd, found.hostHash, found.status);
      }
      const facts = entryFacts(buffer.toString('utf8', start, end));
      if (!facts) return NO_ENTRY;
      time = facts.time;
      return pairs.ofKey(facts.key, facts.status);
    },
  };
}
