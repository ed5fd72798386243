/** Adds the entries of blocks to the buckets of a time range. */
import type { Block } from '../index/block.ts';
import type { Deadline } from '../index/deadline.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { VisitRow } from '../index/sealed-blocks.ts';
import type { BlockDecoder, DecodedBlock } from './block-decoder.ts';
import type { Buckets } from './buckets.ts';

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
 * Adds blocks of one segment. A block that is completely in one bucket is added from the index; any
 * other is read entry by entry, so that every count is exact.
 * @returns false if the deadline passed before the last block
 * @throws SegmentGone
 */
export async function addBlocks(
  indexed: IndexedSegment,
  blocks: Iterable<Block>,
  buckets: Buckets,
  { decoder, deadline }: { decoder: BlockDecoder; deadline: Deadline },
  add: AddRequests,
): Promise<boolean> {
  const rest: Block[] = [];
  let seen = 0;
  for (const block of blocks) {
    const bucket = block.number < 0 ? -1 : buckets.indexOfAll(block);
    if (bucket < 0) rest.push(block);
    else indexed.index.rows(block.number, addTo(bucket, add));
    if (++seen % BLOCKS_PER_TURN === 0) await deadline.yieldTurn();
  }
  let left = rest.length;
  for await (const decoded of decoder.decode(indexed, rest, deadline)) {
    addEntries(decoded, buckets, add);
    left--;
  }
  return left === 0;
}

function addTo(bucket: number, add: AddRequests): VisitRow {
  return (pair, count, steps, first) => add(pair, bucket, count, steps, first);
}

function addEntries({ times, pairs, steps }: DecodedBlock, buckets: Buckets, add: AddRequests) {
  for (let i = 0; i < pairs.length; i++) {
    const bucket = buckets.indexOf(times[i] as number);
    if (bucket >= 0) add(pairs[i] as number, bucket, 1, steps, i);
  }
}
