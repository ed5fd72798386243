import type { Patience } from '../index/deadline.ts';
import type { Indexed } from '../index/log-index.ts';
import { type Found, partOf } from '../index/segment-index.ts';
import type { Reader, Visit } from './block-reader.ts';

/** How many lines of a block match, and in which of its parts they begin. */
type Counted = { count: number; parts: number };
/** What was counted in a block when it ended there; the one that grows is counted again. */
type Kept = Counted & { end: number };

/** What was counted for the filters used last, so that the next page of one counts nothing anew. */
export type Tallies = {
  /**
   * Counts the lines of blocks, newest first, that match. The blocks come back with their true
   * counts, without those that hold none; not `complete` where patience ran out before the
   * oldest, and then nothing older than what is missing is given.
   */
  count(question: Question, patience: Patience): Promise<{ blocks: Found[]; complete: boolean }>;
  clear(): void;
};

export type Question = {
  /** Names the filter; equal names, equal matches. */
  name: string;
  indexed: Indexed;
  blocks: readonly Found[];
  /** Whether the counts of a block are true already. */
  isSure(block: Found): boolean;
  /** Of the line that the classifier has just looked at. */
  matches(pair: number): boolean;
};

const FILTERS_KEPT = 8;

export function createTallies(reader: Reader): Tallies {
  // By filter, in the order of their last use; then by index and block.
  const kept = new Map<string, Map<string, Kept>>();

  function tallyOf(name: string): Map<string, Kept> {
    const tally = kept.get(name) ?? new Map<string, Kept>();
    kept.delete(name);
    kept.set(name, tally);
    for (const oldest of kept.keys()) {
      if (kept.size <= FILTERS_KEPT) break;
      kept.delete(oldest);
    }
    return tally;
  }

  return {
    async count({ name, indexed, blocks, isSure, matches }, patience) {
      const tally = tallyOf(name);
      const keyOf = (block: Found) => `${indexed.id}:${block.start}`;
      const known = (block: Found): Counted | undefined => {
        const found = isSure(block) ? block : tally.get(keyOf(block));
        return found?.end === block.end ? found : undefined;
      };
      const open = blocks.filter((block) => !known(block));
      let current: Counted = { count: 0, parts: 0 };
      const visit: Visit = (pair, offset) => {
        if (!matches(pair)) return;
        current.count++;
        current.parts |= 1 << partOf(offset);
      };
      for await (const block of reader.walk(indexed, open, visit)) {
        tally.set(keyOf(block), { ...current, end: block.end });
        current = { count: 0, parts: 0 };
        if (patience.isOver()) break;
        await patience.breathe();
      }
      const counted: Found[] = [];
      for (const block of blocks) {
        const found = known(block);
        if (!found) return { blocks: counted, complete: false };
        if (found.count > 0) counted.push({ ...block, count: found.count, parts: found.parts });
      }
      return { blocks: counted, complete: true };
    },
    clear: () => kept.clear(),
  };
}
