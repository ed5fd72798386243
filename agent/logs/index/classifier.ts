import { type EntryFacts, entryFacts } from './entry.ts';
import { requestFields } from './fields.ts';
import type { Pairs } from './pairs.ts';
import { createScanner } from './scanner.ts';

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
  /** Of the entry found last, in milliseconds. */
  readonly latency: number;
  /** Of the entry found last. */
  request(): Pick<EntryFacts, 'method' | 'path' | 'ip'>;
  /** The entry found last, by JSON.parse. */
  facts(): EntryFacts | undefined;
};

export function createClassifier(): Classifier {
  const scanner = createScanner();
  const { found } = scanner;
  let buffer: Buffer = Buffer.alloc(0);
  let time = Number.NaN;
  let latency = 0;
  // Of the line looked at last; its facts where they were needed to tell what it is.
  let lineStart = 0;
  let lineEnd = 0;
  let parsed: EntryFacts | undefined;

  const facts = () => (parsed ??= entryFacts(buffer.toString('utf8', lineStart, lineEnd)));

  return {
    facts,

    request() {
      const fields = parsed ?? requestFields(buffer, found) ?? facts();
      // Headers are damaged in a way that the fast path does not see.
      return fields ?? { method: '', path: '', ip: '' };
    },

    get time() {
      return time;
    },
    get latency() {
      return latency;
    },

    open(bytes) {
      buffer = bytes;
      scanner.open(bytes);
    },

    pairOf(pairs, start, end, ended = true) {
      lineStart = start;
      lineEnd = end;
      parsed = undefined;
      if (ended && scanner.scan(start, end)) {
        time = found.time;
        latency = found.latency;
        return pairs.ofBytes(buffer, found.hostStart, found.hostEnd, found.hostHash, found.status);
      }
      parsed = entryFacts(buffer.toString('utf8', start, end));
      if (!parsed) return NO_ENTRY;
      time = parsed.time;
      latency = parsed.latency;
      return pairs.ofKey(parsed.key, parsed.status);
    },
  };
}
