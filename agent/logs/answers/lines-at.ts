/** Reads the lines at given places of a block, and little else, or blocks that can only be read in one pass. */
import { NEWLINE } from '../files/line-splitter.ts';
import type { Source } from '../files/source.ts';
import { type Block, PLACE_BYTES } from '../index/block.ts';
import type { IndexedSegment } from '../index/log-index.ts';

/** Lines in a buffer, by their starts in rising order; `base` is the buffer's offset in the block. */
export type Lines = { buffer: Buffer; base: number; starts: Iterable<number> };

/** The file of a segment disappeared or changed after it was indexed; the query has to start again. */
export class SegmentGone extends Error {}

/** It is not what its index is of, and never will be: it was damaged since, and has to be indexed again. */
export class SegmentDamaged extends SegmentGone {
  constructor(readonly id: number) {
    super('the segment is damaged');
  }
}

/** What an error means that came while an opened segment was read: only plain ones change by themselves. */
export const goneFrom = ({ id, segment }: IndexedSegment, error: unknown): unknown =>
  error instanceof SegmentGone && segment.form !== 'plain' ? new SegmentDamaged(id) : error;

// Lines that are nearer than this are read together: it takes less time than a second read.
export const NEAR_BYTES = 1 << 14;
// Read beyond the start of the last line; if that is longer, reading continues.
const SLACK_BYTES = 2048;

/**
 * The lines at places of blocks, which are in rising order: of each block, in groups that are read together.
 * @throws SegmentGone
 */
export async function linesAt(
  source: Source,
  wanted: readonly { block: Block; places: Uint16Array }[],
): Promise<Lines[][]> {
  const reads = wanted.map(({ block, places }) =>
    nearby(places).map((near) => readOf(block, near)),
  );
  const buffers = (await source.slices(reads.flat())).values();
  const found: Lines[][] = [];
  for (const some of reads) {
    const lines: Lines[] = [];
    for (const read of some) {
      const buffer = buffers.next().value as Buffer;
      lines.push(linesIn(read, buffer) ?? (await longerLines(source, read)));
    }
    found.push(lines);
  }
  return found;
}

/** Places that are read together. */
function nearby(places: Uint16Array): Uint16Array[] {
  const groups: Uint16Array[] = [];
  let first = 0;
  for (let i = 1; i <= places.length; i++) {
    const gap = ((places[i] ?? Number.POSITIVE_INFINITY) - (places[i - 1] as number)) * PLACE_BYTES;
    if (gap < NEAR_BYTES) continue;
    groups.push(places.subarray(first, i));
    first = i;
  }
  return groups;
}

/** What is read of a block, in [start, end) of the segment. */
type Read = { start: number; end: number; block: Block; places: Uint16Array };

function readOf(block: Block, places: Uint16Array): Read {
  const [first, last] = [places[0] as number, places.at(-1) as number];
  // With the byte before, which tells whether a line starts right at the place.
  const start = block.start + Math.max(0, first * PLACE_BYTES - 1);
  const end = Math.min(block.end, block.start + (last + 1) * PLACE_BYTES + SLACK_BYTES);
  return { start, end, block, places };
}

/** Undefined if the last line ends further on. @throws SegmentGone */
function linesIn({ start, end, block, places }: Read, buffer: Buffer): Lines | undefined {
  if (buffer.length < end - start) throw new SegmentGone('the segment has shrunk');
  const base = start - block.start;
  const starts = Array.from(places, (place) => startIn(buffer, place * PLACE_BYTES - base));
  const isWhole = end === block.end || buffer.indexOf(NEWLINE, starts.at(-1)) >= 0;
  return isWhole ? { buffer, base, starts } : undefined;
}

async function longerLines(source: Source, read: Read): Promise<Lines> {
  let { end } = read;
  for (;;) {
    end = Math.min(read.block.end, end + 2 * (end - read.start));
    const lines = linesIn({ ...read, end }, await source.slice(read.start, end));
    if (lines) return lines;
  }
}

/** The start of the last line that starts in a place, which begins at `at` in the buffer. */
function startIn(buffer: Buffer, at: number): number {
  const newline = buffer.lastIndexOf(NEWLINE, at + PLACE_BYTES - 2);
  if (newline >= at - 1 && newline >= 0) return newline + 1;
  // The first line of a block.
  if (at === 0) return 0;
  throw new SegmentGone('the segment has changed');
}

/** The starts of the lines at places of a block. @param buffer all of the block @throws SegmentGone */
export const startsAt = (buffer: Buffer, places: Uint16Array): number[] =>
  Array.from(places, (place) => startIn(buffer, place * PLACE_BYTES));

/** The starts of all lines in a buffer. */
export function* startsOf(buffer: Buffer): Generator<number> {
  for (let start = 0; start < buffer.length; ) {
    yield start;
    const newline = buffer.indexOf(NEWLINE, start);
    if (newline < 0) return;
    start = newline + 1;
  }
}

/**
 * Reads a segment that can only be decompressed from its start once, and picks blocks from it, oldest first.
 * @throws SegmentGone
 */
export async function* inOnePass<T extends { block: Block }>(
  source: Source,
  requests: readonly T[],
): AsyncGenerator<[T, Buffer]> {
  const waiting = requests.toSorted((a, b) => b.block.start - a.block.start);
  let next = waiting.pop();
  if (!next) return;
  let position = next.block.start;
  let bytes = Buffer.allocUnsafe(next.block.end - next.block.start);
  for await (const chunk of source.chunks(position)) {
    while (next && next.block.start < position + chunk.length) {
      const { start, end } = next.block;
      const from = Math.max(0, start - position);
      chunk.copy(bytes, position + from - start, from, Math.min(chunk.length, end - position));
      if (end > position + chunk.length) break;
      yield [next, bytes];
      next = waiting.pop();
      if (!next) return;
      bytes = Buffer.allocUnsafe(next.block.end - next.block.start);
    }
    position += chunk.length;
  }
  throw new SegmentGone('the segment has shrunk');
}
