/** The paths, addresses and user agents of the newest requests, which the index does not hold. */
import type { Deadline } from '../../../src/shared/async.ts';
import { createCache } from '../../../src/shared/memoize.ts';
import type { LogSums } from '../../../src/shared/wire/merge.ts';
import { type Block, isWithin } from '../index/block.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { BlockReader, Match } from './block-reader.ts';
import { createNames, type Names } from './names.ts';

/** Blocks of one segment that may have matches, newest first. */
type MatchedBlocks = { indexed: IndexedSegment; match: Match; blocks: readonly Block[] };

/** The times that match, in [from, to); `name` identifies the other conditions. */
type Range = { name: string; from: number; to: number };

export type LatestRequests = {
  /**
   * Counts the newest requests, about 5000; `partial` if there are more, or if the deadline passes.
   * @throws SegmentGone
   */
  read(
    segments: readonly MatchedBlocks[],
    range: Range,
    deadline: Deadline,
  ): Promise<LogSums['latest']>;
  clear(): void;
};

/** The requests in a block, and where the block ended then. */
type Sums = { end: number; names: Names };

// About as many as can be read in a few hundredths of a second.
const REQUESTS = 5000;
const BLOCKS = 64;
const NAMES_KEPT = 100_000;

export function createLatestRequests(reader: BlockReader): LatestRequests {
  // For blocks that are completely in the range, as almost all are.
  const cache = createCache<Sums>(NAMES_KEPT, ({ names: { tallies } }) =>
    Object.values(tallies).reduce((sum, { size }) => sum + size, 0),
  );

  async function* namesOf(
    { indexed, match, blocks }: MatchedBlocks,
    { name, from, to }: Range,
  ): AsyncGenerator<Names> {
    const keyOf = (block: Block) => `${indexed.id}:${block.start}:${name}`;
    const missing: Block[] = [];
    for (const block of blocks) {
      const sums = isWithin(block, from, to) ? cache.get(keyOf(block)) : undefined;
      if (sums?.end === block.end) yield sums.names;
      else missing.push(block);
    }
    let names = createNames();
    const walked = reader.walk(indexed, missing, (entry) => {
      if (match(entry)) names.add(entry);
    });
    for await (const block of walked) {
      if (isWithin(block, from, to)) cache.put(keyOf(block), { end: block.end, names });
      yield names;
      names = createNames();
    }
  }

  return {
    async read(segments, range, deadline) {
      const names = createNames();
      let [blocksLeft, requestsLeft] = [BLOCKS, REQUESTS];
      let complete = true;
      for (const segment of segments) {
        const chosen: Block[] = [];
        for (const block of segment.blocks) {
          if (blocksLeft-- <= 0 || requestsLeft <= 0) break;
          chosen.push(block);
          requestsLeft -= block.count;
        }
        let left = segment.blocks.length;
        for await (const some of namesOf({ ...segment, blocks: chosen }, range)) {
          names.addAll(some);
          left--;
          if (deadline.hasPassed()) break;
          await deadline.yieldTurn();
        }
        complete = left === 0;
        if (!complete) break;
      }
      return { ...names.answer(1), ...(!complete && { partial: true as const }) };
    },
    clear: cache.clear,
  };
}
