/** Adds the entries of blocks to the buckets of a time range. */
import type { Deadline } from '../../../src/shared/async.ts';
import type { Block } from '../index/block.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { VisitRow } from '../index/sealed-blocks.ts';
import type { IndexView, SegmentIndex } from '../index/segment-index.ts';
import type { BlockDecoder, DecodedBlock } from './block-decoder.ts';
import type { Buckets } from './buckets.ts';

/** Blocks of one segment that hold entries of a range, newest first, and the view they are from. */
export type SegmentBlocks = {
  indexed: IndexedSegment;
  view: IndexView;
  blocks: readonly Block[];
};

/**
 * Adds requests of one pair to one bucket. Their latency steps are the `count` values from `first` on
 * in `steps`.
 */
export type AddRequests = (
  pair: number,
  bucket: number,
  count: number,
  steps: Uint8Array,
  first: number,
) => void;

// Blocks added between two looks at the clock.
const BLOCKS_PER_TURN = 64;

/**
 * Adds the selected lines of blocks of one segment. They are added from the index if it tells the
 * bucket of each of them; any other block is read entry by entry, so that every count is exact.
 * @returns false if the deadline passed before the last block
 * @throws SegmentGone
 */
export async function addBlocks(
  { indexed, view, blocks }: SegmentBlocks,
  buckets: Buckets,
  { decoder, deadline }: { decoder: BlockDecoder; deadline: Deadline },
  add: AddRequests,
): Promise<boolean> {
  const { wanted } = view.selection;
  const rest: Block[] = [];
  let seen = 0;
  for (const block of blocks) {
    const bucket = block.number < 0 ? -1 : buckets.indexOfAll(block);
    if (bucket >= 0) indexed.index.rows(block.number, rowAdder(bucket, wanted, add));
    else if (!addLines(indexed.index, block, buckets, wanted, add)) rest.push(block);
    if (++seen % BLOCKS_PER_TURN === 0) await deadline.yieldTurn();
  }
  let left = rest.length;
  for await (const decoded of decoder.decode(indexed, rest, deadline)) {
    addEntries(decoded, buckets, wanted, add);
    left--;
  }
  return left === 0;
}

function rowAdder(bucket: number, wanted: Uint8Array, add: AddRequests): VisitRow {
  return (pair, count, steps, first) => {
    if (wanted[pair] === 1) add(pair, bucket, count, steps, first);
  };
}

/** Adds the lines of a block one by one; none, and returns false, if a bucket is not certain. */
function addLines(
  index: SegmentIndex,
  { number, timeless }: Block,
  buckets: Buckets,
  wanted: Uint8Array,
  add: AddRequests,
): boolean {
  if (number < 0 || timeless > 0) return false;
  const { earliest, tick, ticks } = index.times(number);
  const bucketOf = (line: number) => buckets.indexOf(earliest + (ticks[line] as number) * tick);
  let isCertain = true;
  if (tick > 1) {
    index.rows(number, (pair, count, _, first) => {
      if (wanted[pair] !== 1) return;
      for (let line = first; isCertain && line < first + count; line++) {
        const from = earliest + (ticks[line] as number) * tick;
        isCertain = buckets.isOne(from, from + tick - 1);
      }
    });
  }
  if (!isCertain) return false;
  index.rows(number, (pair, count, steps, first) => {
    if (wanted[pair] !== 1) return;
    for (let line = first; line < first + count; line++) {
      const bucket = bucketOf(line);
      if (bucket >= 0) add(pair, bucket, 1, steps, line);
    }
  });
  return true;
}

function addEntries(
  { times, pairs, steps }: DecodedBlock,
  buckets: Buckets,
  wanted: Uint8Array,
  add: AddRequests,
): void {
  for (let i = 0; i < pairs.length; i++) {
    const pair = pairs[i] as number;
    const bucket = wanted[pair] === 1 ? buckets.indexOf(times[i] as number) : -1;
    if (bucket >= 0) add(pair, bucket, 1, steps, i);
  }
}
