/** Counts by reading lines what the index cannot count, and remembers the counts. */
import { type Block, placeOf } from '../index/block.ts';
import type { Deadline } from '../index/deadline.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { BlockReader, Match } from './block-reader.ts';

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

export type MatchCounter = {
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
  // By filter, in the order of their last use; then by index and block.
  const kept = new Map<string, Map<string, Counted>>();

  function countsOf(name: string): Map<string, Counted> {
    const counts = kept.get(name) ?? new Map<string, Counted>();
    kept.delete(name);
    kept.set(name, counts);
    for (const oldest of kept.keys()) {
      if (kept.size <= FILTERS_KEPT) break;
      kept.delete(oldest);
    }
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
