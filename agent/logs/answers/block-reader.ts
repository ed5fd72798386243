/** Reads the lines of blocks: with lines-at.ts, the only file here that goes back to the log's bytes. */
import { createCache } from '../../../src/shared/memoize.ts';
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
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

/** As they are sent to clients; null for lines whose headers are damaged. */
type Entries = (LogEntry | null)[];

type Wanted = { match: Match; details: boolean };

/** The lines that match. */
type Found = Lines & { starts: number[] };

/** Asks for up to `limit` of the matching lines of a block, after the newest `skip`. */
export type BlockRequest = { block: Block; skip: number; limit: number };

export type BlockReader = {
  /**
   * The matching entries of each requested block of one segment, newest first; the blocks come in any order.
   * @param details as of `readEntry`
   * @throws SegmentGone
   */
  read(
    indexed: IndexedSegment,
    requests: readonly BlockRequest[],
    match: Match,
    details: boolean,
  ): AsyncGenerator<{ request: BlockRequest; entries: Entries }>;
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

  function matching(indexed: IndexedSegment, lines: Lines, match: Match): Found {
    const starts: number[] = [];
    visitLines(indexed, lines, (entry) => {
      if (match(entry)) starts.push(entry.start);
    });
    return { ...lines, starts };
  }

  /** @param found newest first */
  function entriesIn(
    indexed: IndexedSegment,
    found: readonly Found[],
    { skip, limit }: Pick<BlockRequest, 'skip' | 'limit'>,
    details: boolean,
  ): Entries {
    const entries: Entries = [];
    let toSkip = skip;
    for (const lines of found) {
      const end = Math.max(0, lines.starts.length - toSkip);
      const starts = lines.starts.slice(Math.max(0, end - (limit - entries.length)), end);
      toSkip -= lines.starts.length - end;
      const some: Entries = [];
      visitLines(indexed, { ...lines, starts }, (entry) => some.push(entry.shown(details)));
      entries.push(...some.reverse());
    }
    return entries;
  }

  // Reads no more lines than needed if the matches are spread evenly over the places.
  async function readPlaces(
    indexed: IndexedSegment,
    source: Source,
    requests: readonly BlockRequest[],
    { match, details }: Wanted,
  ): Promise<{ request: BlockRequest; entries: Entries }[]> {
    const all = requests.map((request) => {
      const { block, limit } = request;
      const places = block.places();
      // What is skipped is not read if each place is that of a match.
      const passed = places.length === block.count ? request.skip : 0;
      const skip = request.skip - passed;
      const step = Math.ceil(((skip + limit) * places.length) / block.count);
      return {
        request,
        skip,
        limit,
        places,
        step,
        end: places.length - passed,
        count: 0,
        found: [] as Found[],
      };
    });
    for (;;) {
      const open = all.filter(({ skip, limit, end, count }) => end > 0 && count < skip + limit);
      if (open.length === 0) break;
      const asked = open.map(({ request: { block }, places, step, end }) => ({
        block,
        places: places.subarray(Math.max(0, end - step), end),
      }));
      for (const [i, batch] of (await linesAt(source, asked)).entries()) {
        const each = open[i] as (typeof open)[number];
        for (const lines of batch.reverse()) {
          const found = matching(indexed, lines, match);
          each.found.push(found);
          each.count += found.starts.length;
        }
        each.end -= each.step;
      }
    }
    return all.map((each) => ({
      request: each.request,
      entries: entriesIn(indexed, each.found, each, details),
    }));
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
    async *read(indexed, requests, match, details) {
      const wanted = { match, details };
      const source = await openIndexed(indexed);
      try {
        if (source.isSeekable) {
          for (let i = 0; i < requests.length; i += BLOCKS_AT_ONCE) {
            const batch = requests.slice(i, i + BLOCKS_AT_ONCE);
            yield* await readPlaces(indexed, source, batch, wanted);
          }
          return;
        }
        for await (const [request, buffer] of readCompressed(indexed, source, requests)) {
          const found = [matching(indexed, linesOf(buffer), match)];
          yield { request, entries: entriesIn(indexed, found, request, details) };
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
                : (await linesAt(source, [{ block, places: block.places() }])).flat();
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
