/** Indexes the bytes of a segment as they are read. */
import { createDeadline } from '../../../src/shared/async.ts';
import { createCarry, NEWLINE } from '../files/line-splitter.ts';
import type { Classifier } from '../line/classifier.ts';
import type { SegmentIndex } from './segment-index.ts';

/**
 * Adds the bytes that follow `index.end`. A chunk is no longer used once the next one is requested,
 * so its owner may reuse the memory.
 * @param finished the segment will not grow: a last line without a newline is a line
 * @param signal stops between two chunks; the index stays valid for what it covers
 * @throws the reason of the signal, and what `chunks` throws
 */
export async function extendIndex(
  index: SegmentIndex,
  chunks: AsyncIterable<Buffer>,
  classifier: Classifier,
  { finished, signal }: { finished: boolean; signal: AbortSignal },
): Promise<void> {
  const carry = createCarry();
  const { yieldTurn } = createDeadline(Number.POSITIVE_INFINITY);
  // Offsets in the segment of the current line and the current chunk.
  let lineStart = index.end;
  let chunkStart = index.end;

  // Adds the line in [from, to) of the opened buffer, newline included if it `ended`.
  function addLine(from: number, to: number, start: number, ended: boolean): void {
    const entry = classifier.classify(index.pairs, from, ended ? to - 1 : to, ended);
    const end = start + to - from;
    if (entry) index.add(start, end, entry);
    else index.skip(start, end);
  }

  function addCarried(end: number, ended: boolean): void {
    const line = carry.take();
    if (line) {
      classifier.open(line);
      addLine(0, line.length, lineStart, ended);
    } else {
      index.skip(lineStart, end);
    }
  }

  // Adds the whole lines of a chunk from an offset in it; returns where the last one ends.
  function addLines(chunk: Buffer, from: number): number {
    classifier.open(chunk);
    let start = from;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline < 0) return start;
      addLine(start, newline + 1, chunkStart + start, true);
      start = newline + 1;
    }
  }

  for await (const chunk of chunks) {
    signal.throwIfAborted();
    await yieldTurn();
    let from = 0;
    if (carry.size > 0) {
      const newline = chunk.indexOf(NEWLINE);
      from = newline < 0 ? chunk.length : newline + 1;
      carry.add(chunk.subarray(0, from));
      if (newline >= 0) addCarried(chunkStart + from, true);
    }
    if (carry.size === 0) {
      from = addLines(chunk, from);
      lineStart = chunkStart + from;
      if (from < chunk.length) carry.add(chunk.subarray(from));
    }
    chunkStart += chunk.length;
  }
  if (finished && carry.size > 0) {
    addCarried(chunkStart, false);
    index.terminate();
  }
}

/** Reports after each chunk how many bytes have been processed. */
export async function* reporting(
  chunks: AsyncIterable<Buffer>,
  report: (done: number) => void,
): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const chunk of chunks) {
    yield chunk;
    done += chunk.length;
    report(done);
  }
}
