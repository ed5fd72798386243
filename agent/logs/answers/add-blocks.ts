/** Adds the entries of blocks to the buckets of a time range. */
import type { Block } from '../index/block.ts';
import type { Deadline } from '../index/deadline.ts';
import type { VisitRow } from '../index/sealed-blocks.ts';
import type { BlockDecoder, DecodedBlock } from './block-decoder.ts';
import type { Buckets } from './buckets.ts';
import type { SegmentBlocks } from './latest.ts';

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
 * Adds the selected lines of blocks of one segment. A block that is completely in one bucket is added
 * from the index; any other is read entry by entry, so that every count is exact.
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
    if (bucket < 0) rest.push(block);
    else indexed.index.rows(block.number, rowAdder(bucket, wanted, add));
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
