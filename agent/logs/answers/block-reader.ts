/** Reads the lines of blocks: with lines-at.ts, the only file here that goes back to the log's bytes. */
import { createCache } from '../../../src/shared/memoize.ts';
import { NEWLINE } from '../files/line-splitter.ts';
import { openSource } from '../files/open-source.ts';
import type { Source } from '../files/source.ts';
import type { Block } from '../index/block.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { Classifier, EntryCursor } from '../line/classifier.ts';
import {
  goneFrom,
  inOnePass,
  type Lines,
  linesAt,
  SegmentGone,
  startsAt,
  startsOf,
} from './lines-at.ts';

/** Whether an entry is wanted. */
export type Match = (entry: EntryCursor) => boolean;

/** Receives an entry and the offset in its block at which the line starts. */
type Visit = (entry: EntryCursor, offset: number) => void;

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
   * Visits the entries of blocks, the selected ones and maybe others, or all, or only the selected ones,
   * and yields each block when it is done. Entries come oldest first; blocks in the given order, or oldest first if the
   * segment can only be read from its start.
   * @throws SegmentGone
   */
  walk(
    indexed: IndexedSegment,
    blocks: readonly Block[],
    visit: Visit,
    which?: 'all' | 'only selected',
  ): AsyncGenerator<Block>;
  /** Empties the cache. */
  clear(): void;
};

const CACHE_BYTES = 32 << 20;
// Blocks read at the same time: a rare match is alone in its block, and reading that little is
// mostly waiting.
const BLOCKS_AT_ONCE = 16;
// With more lines than this, it takes less time to read the whole block.
const FEW_LINES = 64;

/** @param classifier may be shared: it is never used across an `await`, and each user opens its own buffer */
export function createBlockReader(classifier: Classifier): BlockReader {
  const cache = createCache<Buffer>(CACHE_BYTES, (block) => block.length);

  function visitLines({ index }: IndexedSegment, lines: Lines, visit: Visit): void {
    const { buffer, base, starts } = lines;
    classifier.open(buffer);
    for (const start of starts) {
      const newline = buffer.indexOf(NEWLINE, start);
      const end = newline < 0 ? buffer.length : newline;
      const entry = classifier.classify(index.pairs, start, end, newline >= 0);
      if (entry) visit(entry, base + start);
    }
  }

  const linesOf = (buffer: Buffer): Lines => ({ buffer, base: 0, starts: startsOf(buffer) });

  function newestFirst(indexed: IndexedSegment, lines: Lines, match: Match): Buffer[] {
    const found: Buffer[] = [];
    visitLines(indexed, lines, (entry) => {
      if (match(entry)) found.push(lines.buffer.subarray(entry.start, entry.end));
    });
    return found.reverse();
  }

  // Reads no more lines than needed if the matches are spread evenly over the places.
  async function readPlaces(
    indexed: IndexedSegment,
    source: Source,
    { block, limit }: BlockRequest,
    match: Match,
  ): Promise<Buffer[]> {
    const places = block.places();
    const step = Math.ceil((limit * places.length) / block.count);
    const found: Buffer[] = [];
    for (let end = places.length; end > 0 && found.length < limit; end -= step) {
      const batch = await linesAt(source, block, places.subarray(Math.max(0, end - step), end));
      for (const lines of batch.reverse()) found.push(...newestFirst(indexed, lines, match));
    }
    return found.slice(0, limit);
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
              return { request, lines: await readPlaces(indexed, source, request, match) };
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
          const lines = newestFirst(indexed, linesOf(buffer), match);
          yield { request, lines: lines.slice(0, request.limit) };
        }
      } catch (error) {
        throw goneFrom(indexed, error);
      } finally {
        await source.close();
      }
    },
    async *walk(indexed, blocks, visit, which) {
      if (blocks.length === 0) return;
      const source = await openIndexed(indexed);
      try {
        if (source.isSeekable) {
          for (const block of blocks) {
            const batch =
              which === 'all' || (which === undefined && block.count > FEW_LINES)
                ? [linesOf(await wholeBlock(source, block))]
                : await linesAt(source, block, block.places());
            for (const lines of batch) visitLines(indexed, lines, visit);
            yield block;
          }
          return;
        }
        const requests = blocks.map((block) => ({ block }));
        for await (const [{ block }, buffer] of inOnePass(source, requests)) {
          const lines = linesOf(buffer);
          const starts =
            which === 'only selected' ? startsAt(buffer, block.places()) : lines.starts;
          visitLines(indexed, { ...lines, starts }, visit);
          yield block;
        }
      } catch (error) {
        throw goneFrom(indexed, error);
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

async function wholeBlock(source: Source, { start, end }: Block): Promise<Buffer> {
  const bytes = await source.slice(start, end);
  if (bytes.length === end - start) return bytes;
  throw new SegmentGone('the segment has shrunk');
}

function cacheKey({ id }: IndexedSegment, { block }: BlockRequest): string {
  // A block that has grown since has the same start and another end.
  return `${id}:${block.start}:${block.end}`;
}
