import { openSource, type Source } from '../files/source.ts';
import { partsNeeded, spans } from '../index/block-parts.ts';
import { type Classifier, NO_ENTRY } from '../index/classifier.ts';
import type { Indexed } from '../index/log-index.ts';
import { type Found, PARTS } from '../index/segment-index.ts';
import { createBlockCache } from './block-cache.ts';

/** Whether the line that the classifier has just looked at is wanted; it is of this pair. */
export type Match = (pair: number) => boolean;

/** Up to `limit` of the newest matching lines of a block are asked for. */
export type Request = { block: Found; limit: number };

export type Reader = {
  /**
   * The matching lines of each requested block of one segment, newest first, to be used before
   * the next is asked for; the blocks come in no order. Throws `Vanished` when the file is not
   * what it was when indexed.
   */
  read(
    indexed: Indexed,
    requests: readonly Request[],
    match: Match,
  ): AsyncGenerator<{ request: Request; lines: Buffer[] }>;
  /**
   * Looks at the lines of the requested pairs in whole blocks of one segment, one block after the
   * other: newest first in a plain segment, oldest first in a compressed one. Throws as `read`.
   */
  walk(indexed: Indexed, blocks: readonly Found[], visit: Visit): AsyncGenerator<Found>;
  close(): void;
};

/**
 * Told of each access entry in the parts of a block that hold matches, oldest first; `offset` is
 * where the line begins in its block. More on the line is to be had from the classifier.
 */
export type Visit = (pair: number, offset: number) => void;

/** The file of a segment went away, or shrank, after it was indexed: everything is to be redone. */
export class Vanished extends Error {}

const NEWLINE = 0x0a;
const CACHE_BYTES = 32 << 20;
// Blocks read at the same time: a rare match sits alone in its part of a block, and reading so
// little is mostly waiting.
const BLOCKS_AT_ONCE = 16;
// Read beyond a part for the rest of its last line; longer lines are read on for.
const SLACK_BYTES = 4096;

export function createReader(classifier: Classifier): Reader {
  const cache = createBlockCache<Buffer>(CACHE_BYTES, (block) => block.length);

  // Matching lines that begin in [from, to) of a buffer, oldest first.
  function matching(
    { index }: Indexed,
    buffer: Buffer,
    from: number,
    to: number,
    match: Match,
  ): Buffer[] {
    classifier.open(buffer);
    const lines: Buffer[] = [];
    for (let start = from; start < to; ) {
      const newline = buffer.indexOf(NEWLINE, start);
      const end = newline < 0 ? buffer.length : newline;
      const pair = classifier.pairOf(index.pairs, start, end, newline >= 0);
      if (pair !== NO_ENTRY && match(pair)) {
        lines.push(buffer.subarray(start, end));
      }
      start = end + 1;
    }
    return lines;
  }

  // Visits the entries of a buffer whose first byte is at `base` of their block.
  function visitLines(
    { index }: Indexed,
    { buffer, from, to }: Lines,
    base: number,
    visit: Visit,
  ): void {
    classifier.open(buffer);
    for (let start = from; start < to; ) {
      const newline = buffer.indexOf(NEWLINE, start);
      const end = newline < 0 ? buffer.length : newline;
      const pair = classifier.pairOf(index.pairs, start, end, newline >= 0);
      if (pair !== NO_ENTRY) visit(pair, base + start);
      start = end + 1;
    }
  }

  // Reads only the parts of the block that hold matches, and of these no more than needed.
  async function fromParts(
    indexed: Indexed,
    source: Source,
    { block, limit }: Request,
    match: Match,
  ): Promise<Buffer[]> {
    const newestFirst: Buffer[] = [];
    for (const [from, to] of spans(block, partsNeeded(block, limit))) {
      const lines = await linesBeginningIn(source, block, from, to);
      const found = matching(indexed, lines.buffer, lines.from, lines.to, match);
      newestFirst.push(...found.reverse());
      if (newestFirst.length >= limit) break;
    }
    return newestFirst.slice(0, limit);
  }

  async function* fromCompressed(
    indexed: Indexed,
    source: Source,
    requests: readonly Request[],
  ): AsyncGenerator<[Request, Buffer]> {
    const missing: Request[] = [];
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
      const source = await openSource(indexed.segment);
      if (!source) throw new Vanished('the segment has gone');
      try {
        if (indexed.segment.form === 'plain') {
          for (let i = 0; i < requests.length; i += BLOCKS_AT_ONCE) {
            const batch = requests.slice(i, i + BLOCKS_AT_ONCE).map(async (request) => {
              return { request, lines: await fromParts(indexed, source, request, match) };
            });
            // All of them, so that none reads on when the source has been closed.
            for (const each of await Promise.allSettled(batch)) {
              if (each.status === 'rejected') throw each.reason;
              yield each.value;
            }
          }
          return;
        }
        for await (const [request, bytes] of fromCompressed(indexed, source, requests)) {
          const lines = matching(indexed, bytes, 0, bytes.length, match).reverse();
          yield { request, lines: lines.slice(0, request.limit) };
        }
      } finally {
        await source.close();
      }
    },
    async *walk(indexed, blocks, visit) {
      if (blocks.length === 0) return;
      const source = await openSource(indexed.segment);
      if (!source) throw new Vanished('the segment has gone');
      try {
        if (indexed.segment.form === 'plain') {
          for (const block of blocks) {
            for (const [from, to] of [...spans(block, PARTS)].reverse()) {
              const lines = await linesBeginningIn(source, block, from, to);
              visitLines(indexed, lines, lines.base - block.start, visit);
            }
            yield block;
          }
          return;
        }
        const requests = blocks.map((block) => ({ block, limit: block.count }));
        for await (const [{ block }, buffer] of inOnePass(source, requests)) {
          visitLines(indexed, { buffer, from: 0, to: buffer.length }, 0, visit);
          yield block;
        }
      } finally {
        await source.close();
      }
    },
    close: () => cache.clear(),
  };
}

function cacheKey({ id }: Indexed, { block }: Request): string {
  // An unfinished block of the same start is a shorter one.
  return `${id}:${block.start}:${block.end}`;
}

/** Those lines of a buffer that begin in [from, to) of it. */
type Lines = { buffer: Buffer; from: number; to: number };

// The lines that begin in [start, end) of a segment; `base` is where the buffer begins in it.
async function linesBeginningIn(
  source: Source,
  block: Found,
  start: number,
  end: number,
): Promise<Lines & { base: number }> {
  // One byte before tells whether a line begins right at the start.
  const first = start > block.start ? start - 1 : start;
  let last = Math.min(block.end, end + SLACK_BYTES);
  for (;;) {
    const buffer = await source.slice(first, last);
    if (buffer.length < last - first) throw new Vanished('the segment has shrunk');
    const to = end - first;
    const isWhole = last === block.end || buffer.indexOf(NEWLINE, to - 1) >= 0;
    if (isWhole) {
      const from = first === start ? 0 : buffer.indexOf(NEWLINE) + 1;
      return { buffer, from: from === 0 && first < start ? to : from, to, base: first };
    }
    last = Math.min(block.end, last + 2 * (last - first));
  }
}

// Decompresses a segment once and picks the blocks out of the stream.
async function* inOnePass(
  source: Source,
  requests: readonly Request[],
): AsyncGenerator<[Request, Buffer]> {
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
  throw new Vanished('the segment has shrunk');
}
