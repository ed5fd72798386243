/** Reads the lines of blocks: the only file here that goes back to the log's bytes. */
import { NEWLINE } from '../files/line-splitter.ts';
import { openSource } from '../files/open-source.ts';
import type { Source } from '../files/source.ts';
import { type Block, PARTS, partsNeeded, spans } from '../index/block.ts';
import type { Classifier, EntryCursor } from '../index/classifier.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import { createBlockCache } from './block-cache.ts';

/** Whether an entry is wanted. */
export type Match = (entry: EntryCursor) => boolean;

/** Receives an entry and the offset in its block at which the line starts. */
export type Visit = (entry: EntryCursor, offset: number) => void;

/** Asks for up to `limit` of the newest matching lines of a block. */
export type BlockRequest = { block: Block; limit: number };

export type BlockReader = {
  /**
   * The matching lines of each requested block of one segment, newest first. They have to be used
   * before the next block is requested; the blocks come in any order.
   * @throws SegmentGone
   */
  read(
    indexed: IndexedSegment,
    requests: readonly BlockRequest[],
    match: Match,
  ): AsyncGenerator<{ request: BlockRequest; lines: Buffer[] }>;
  /**
   * Visits the entries in the parts of blocks that hold selected lines, and yields each block when
   * it is done. Entries come oldest first; blocks in the given order in a plain segment, and oldest
   * first in a compressed one.
   * @throws SegmentGone
   */
  walk(indexed: IndexedSegment, blocks: readonly Block[], visit: Visit): AsyncGenerator<Block>;
  /** Empties the cache. */
  clear(): void;
};

/** The file of a segment disappeared or shrank after it was indexed; the query has to start again. */
export class SegmentGone extends Error {}

const CACHE_BYTES = 32 << 20;
// Blocks read at the same time: a rare match is alone in its part of a block, and reading that
// little is mostly waiting.
const BLOCKS_AT_ONCE = 16;
// Read beyond a part for the rest of its last line; for a longer line, reading continues.
const SLACK_BYTES = 4096;

/** @param classifier may be shared: it is never used across an `await`, and each user opens its own buffer */
export function createBlockReader(classifier: Classifier): BlockReader {
  const cache = createBlockCache<Buffer>(CACHE_BYTES, (block) => block.length);

  // `base` is the offset of the buffer in the block.
  function visitLines(
    { index }: IndexedSegment,
    { buffer, from, to }: Lines,
    base: number,
    visit: Visit,
  ): void {
    classifier.open(buffer);
    for (let start = from; start < to; ) {
      const newline = buffer.indexOf(NEWLINE, start);
      const end = newline < 0 ? buffer.length : newline;
      const entry = classifier.classify(index.pairs, start, end, newline >= 0);
      if (entry) visit(entry, base + start);
      start = end + 1;
    }
  }

  function newestFirst(indexed: IndexedSegment, lines: Lines, match: Match): Buffer[] {
    const found: Buffer[] = [];
    visitLines(indexed, lines, 0, (entry) => {
      if (match(entry)) found.push(lines.buffer.subarray(entry.start, entry.end));
    });
    return found.reverse();
  }

  // Reads only the parts of the block that hold selected lines, and no more than needed of these.
  async function readParts(
    indexed: IndexedSegment,
    source: Source,
    { block, limit }: BlockRequest,
    match: Match,
  ): Promise<Buffer[]> {
    const lines: Buffer[] = [];
    for (const [from, to] of spans(block, partsNeeded(block, limit))) {
      lines.push(...newestFirst(indexed, await linesIn(source, block, from, to), match));
      if (lines.length >= limit) break;
    }
    return lines.slice(0, limit);
  }

  async function* readCompressed(
    indexed: IndexedSegment,
    source: Source,
    requests: readonly BlockRequest[],
  ): AsyncGenerator<[BlockRequest, Buffer]> {
    const missing: BlockRequest[] = [];
    for (const request of requests) {
      const cached = cache.get(cacheKey(indexed, request));
      if (cached) yield [request, cached];
      else missing.push(request);
    }
    for await (const [request, bytes] of inOnePass(source, missing)) {
      cache.put(cacheKey(indexed, request), bytes);
      yield [request, bytes];
    }
  }

  return {
    async *read(indexed, requests, match) {
      const source = await openIndexed(indexed);
      try {
        if (source.isSeekable) {
          for (let i = 0; i < requests.length; i += BLOCKS_AT_ONCE) {
            const batch = requests.slice(i, i + BLOCKS_AT_ONCE).map(async (request) => {
              return { request, lines: await readParts(indexed, source, request, match) };
            });
            // Wait for all of them: none may still be reading when the source is closed.
            for (const each of await Promise.allSettled(batch)) {
              if (each.status === 'rejected') throw each.reason;
              yield each.value;
            }
          }
          return;
        }
        for await (const [request, buffer] of readCompressed(indexed, source, requests)) {
          const lines = newestFirst(indexed, { buffer, from: 0, to: buffer.length }, match);
          yield { request, lines: lines.slice(0, request.limit) };
        }
      } finally {
        await source.close();
      }
    },
    async *walk(indexed, blocks, visit) {
      if (blocks.length === 0) return;
      const source = await openIndexed(indexed);
      try {
        if (source.isSeekable) {
          for (const block of blocks) {
            for (const [from, to] of [...spans(block, PARTS)].reverse()) {
              const lines = await linesIn(source, block, from, to);
              visitLines(indexed, lines, lines.base - block.start, visit);
            }
            yield block;
          }
          return;
        }
        const requests = blocks.map((block) => ({ block }));
        for await (const [{ block }, buffer] of inOnePass(source, requests)) {
          visitLines(indexed, { buffer, from: 0, to: buffer.length }, 0, visit);
          yield block;
        }
      } finally {
        await source.close();
      }
    },
    clear: cache.clear,
  };
}

async function openIndexed({ segment }: IndexedSegment): Promise<Source> {
  const source = await openSource(segment);
  if (source) return source;
  throw new SegmentGone('the segment has been removed');
}

function cacheKey({ id }: IndexedSegment, { block }: BlockRequest): string {
  // A block that has grown since has the same start and another end.
  return `${id}:${block.start}:${block.end}`;
}

/** The lines of a buffer that start in [from, to) of it. */
type Lines = { buffer: Buffer; from: number; to: number };

// The lines that start in [start, end) of a segment; `base` is the buffer's offset in it.
async function linesIn(
  source: Source,
  block: Block,
  start: number,
  end: number,
): Promise<Lines & { base: number }> {
  // The byte before tells whether a line starts right at `start`.
  const base = start > block.start ? start - 1 : start;
  let last = Math.min(block.end, end + SLACK_BYTES);
  for (;;) {
    const buffer = await source.slice(base, last);
    if (buffer.length < last - base) throw new SegmentGone('the segment has shrunk');
    const to = end - base;
    if (last === block.end || buffer.indexOf(NEWLINE, to - 1) >= 0) {
      const from = base === start ? 0 : buffer.indexOf(NEWLINE) + 1;
      return { buffer, from: from === 0 && base < start ? to : from, to, base };
    }
    last = Math.min(block.end, last + 2 * (last - base));
  }
}

// Decompresses a segment once and picks the blocks from the stream.
async function* inOnePass<T extends { block: Block }>(
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
