/** Counts the matches of a filter in each block of the log: what the index cannot count, by reading lines. */

import type { Deadline } from '../../../src/shared/async.ts';
import { createCache } from '../../../src/shared/memoize.ts';
import { type Block, isWithin, placeOf } from '../index/block.ts';
import { hasAll, type IndexedSegment, type Snapshot } from '../index/log-index.ts';
import type { BlockReader, Match } from './block-reader.ts';
import { type Conditions, requestTest, selectIn, timeTest } from './filter.ts';

export type PageTools = { reader: BlockReader; counter: MatchCounter; deadline: Deadline };

/** The matches in one segment; `blocks` are newest first. */
export type SegmentMatches = {
  indexed: IndexedSegment;
  match: Match;
  total: number;
  blocks: Iterable<Block>;
  /** Whether the matches of a block are what the index selects. */
  isExact(block: Block): boolean;
};

/**
 * The matches in all segments, newest first. What the index cannot count is counted by reading lines;
 * when the deadline passes, everything older counts as missing, and the result is not `complete`.
 * @throws SegmentGone
 */
export async function allMatches(
  snapshot: Snapshot,
  conditions: Conditions,
  tools: PageTools,
): Promise<{ found: SegmentMatches[]; complete: boolean }> {
  const found: SegmentMatches[] = [];
  for (const indexed of snapshot.segments) {
    const matches = await findMatches(indexed, conditions, tools);
    found.push(matches);
    if (!matches.complete) return { found, complete: false };
  }
  return { found, complete: hasAll(snapshot, conditions.from) };
}

async function findMatches(
  indexed: IndexedSegment,
  conditions: Conditions,
  { counter, deadline }: PageTools,
): Promise<SegmentMatches & { complete: boolean }> {
  const { view, match, candidates } = selectIn(indexed, conditions);
  const hasRequestTest = requestTest(conditions) !== undefined;
  const hasTimeTest = timeTest(conditions) !== undefined;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = conditions;
  const isExact = (block: Block) =>
    view.selection.certain && !hasRequestTest && (!hasTimeTest || isWithin(block, from, to));
  if (view.selection.certain && !hasRequestTest && !hasTimeTest) {
    return { indexed, match, total: view.total, blocks: view.blocks(), isExact, complete: true };
  }
  const name = JSON.stringify(conditions);
  const question = { name, indexed, blocks: candidates(), isExact, match };
  const { blocks, complete } = await counter.count(question, deadline);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  return { indexed, match, total, blocks, isExact, complete };
}

/**
 * How many lines of a block match, and where the block ended then. The places of a few lines are
 * kept; more are found again among those that the index selects.
 */
type Counted = Pick<Block, 'count' | 'end'> & Partial<Pick<Block, 'places'>>;

type Question = {
  /** Identifies the filter: equal names have equal matches. */
  name: string;
  indexed: IndexedSegment;
  blocks: readonly Block[];
  /** Whether the index has counted the matches of a block exactly. */
  isExact(block: Block): boolean;
  match: Match;
};

type MatchCounter = {
  /**
   * Counts the matches in blocks, which come newest first, and returns those that have some. If the
   * deadline passes, the result is not `complete` and ends before the first block not counted.
   * The counts of the filters used last are kept, so that their next page is fast.
   * @throws SegmentGone
   */
  count(question: Question, deadline: Deadline): Promise<{ blocks: Block[]; complete: boolean }>;
  clear(): void;
};

const FILTERS_KEPT = 8;
const PLACES_KEPT = 64;

export function createMatchCounter(reader: BlockReader): MatchCounter {
  // By filter; then by index and block.
  const kept = createCache<Map<string, Counted>>(FILTERS_KEPT);

  function countsOf(name: string): Map<string, Counted> {
    const counts = kept.get(name) ?? new Map<string, Counted>();
    kept.put(name, counts);
    return counts;
  }

  return {
    async count({ name, indexed, blocks, isExact, match }, deadline) {
      const counts = countsOf(name);
      const keyOf = (block: Block) => `${indexed.id}:${block.start}`;
      const known = (block: Block): Counted | undefined => {
        const found = isExact(block) ? block : counts.get(keyOf(block));
        return found?.end === block.end ? found : undefined;
      };
      const missing = blocks.filter((block) => !known(block));
      let places: number[] = [];
      let count = 0;
      const walked = reader.walk(indexed, missing, (entry, offset) => {
        if (!match(entry)) return;
        count++;
        if (count <= PLACES_KEPT) places.push(placeOf(offset));
      });
      for await (const block of walked) {
        const found = Uint16Array.from(places);
        const kept = count <= PLACES_KEPT && { places: () => found };
        counts.set(keyOf(block), { count, end: block.end, ...kept });
        [places, count] = [[], 0];
        if (deadline.hasPassed()) break;
        await deadline.yieldTurn();
      }
      const counted: Block[] = [];
      for (const block of blocks) {
        const found = known(block);
        if (!found) return { blocks: counted, complete: false };
        if (found.count > 0) counted.push({ ...block, ...found });
      }
      return { blocks: counted, complete: true };
    },
    clear: () => kept.clear(),
  };
}
