import { MAX_LINE_BYTES } from '../files/line-splitter.ts';
import { type Classifier, NO_ENTRY } from './classifier.ts';
import { createPatience } from './deadline.ts';
import type { SegmentIndex } from './segment-index.ts';

const NEWLINE = 0x0a;

export type BuildOptions = {
  /** The segment will not grow: a last line without a newline is a line. */
  finished: boolean;
  /** Ends the work between two chunks; the index stays valid for what it covers. */
  signal: AbortSignal;
};

/**
 * Brings an index up to date from the bytes that follow `index.end`. A chunk is done with when
 * the next one is asked for, so its owner may use the memory again.
 */
export async function extendIndex(
  index: SegmentIndex,
  chunks: AsyncIterable<Buffer>,
  classifier: Classifier,
  options: BuildOptions,
): Promise<void> {
  const carry = createCarry();
  const patience = createPatience(Number.POSITIVE_INFINITY);
  // Where the line that is being read begins, and the chunk at hand.
  let lineStart = index.end;
  let base = index.end;

  function takeCarried(end: number, ended: boolean): void {
    const line = carry.take();
    if (line) {
      classifier.open(line);
      count(index, classifier, 0, line.length, lineStart, end, ended);
    } else {
      index.other(lineStart, end);
    }
  }

  for await (const chunk of chunks) {
    options.signal.throwIfAborted();
    await patience.breathe();
    let from = 0;
    if (carry.size > 0) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline < 0) {
        carry.add(chunk);
        base += chunk.length;
        continue;
      }
      carry.add(chunk.subarray(0, newline + 1));
      from = newline + 1;
      takeCarried(base + from, true);
    }
    from = takeLines(index, classifier, chunk, from, base);
    lineStart = base + from;
    base += chunk.length;
    if (from < chunk.length) carry.add(chunk.subarray(from));
  }
  if (options.finished && carry.size > 0) {
    takeCarried(base, false);
    index.terminate();
  }
}

/** Counts the whole lines of a chunk from an offset in it; returns where the last one ends. */
function takeLines(
  index: SegmentIndex,
  classifier: Classifier,
  chunk: Buffer,
  from: number,
  base: number,
): number {
  classifier.open(chunk);
  let start = from;
  for (;;) {
    const newline = chunk.indexOf(NEWLINE, start);
    if (newline < 0) return start;
    const next = newline + 1;
    count(index, classifier, start, next, base + start, base + next, true);
    start = next;
  }
}

// [from, to) in the classifier's buffer is [start, end) in the segment, newline included.
function count(
  index: SegmentIndex,
  classifier: Classifier,
  from: number,
  to: number,
  start: number,
  end: number,
  ended: boolean,
): void {
  const pair = classifier.pairOf(index.pairs, from, ended ? to - 1 : to, ended);
  if (pair === NO_ENTRY) index.other(start, end);
  else index.entry(start, end, pair, classifier.time, classifier.latency);
}

/** The beginning of a line that goes on in the next chunk. */
function createCarry() {
  let pieces: Buffer[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(piece: Buffer): void {
      size += piece.length;
      if (size > MAX_LINE_BYTES) pieces = [];
      else pieces.push(Buffer.from(piece));
    },
    /** The line, or undefined where it was too long to keep. */
    take(): Buffer | undefined {
      const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces);
      pieces = [];
      size = 0;
      return line;
    },
  };
}
