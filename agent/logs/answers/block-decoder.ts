/** Decodes blocks into one row of numbers per entry, for answers that need more than their sums. */
import type { Deadline } from '../../../src/shared/async.ts';
import { createCache } from '../../../src/shared/memoize.ts';
import type { Block } from '../index/block.ts';
import { growable } from '../index/growable.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { EntryCursor } from '../line/classifier.ts';
import { latencyStep } from '../line/latency.ts';
import type { BlockReader } from './block-reader.ts';

/** Time, pair and latency step of each entry of a block. */
export type DecodedBlock = {
  /** Where the block ended when it was decoded. */
  end: number;
  times: Float64Array;
  pairs: Uint32Array;
  steps: Uint8Array;
};

export type BlockDecoder = {
  /**
   * Decodes blocks of one segment, in any order; fewer if the deadline passes.
   * @throws SegmentGone
   */
  decode(
    indexed: IndexedSegment,
    blocks: readonly Block[],
    deadline: Deadline,
  ): AsyncGenerator<DecodedBlock>;
  clear(): void;
};

const CACHE_BYTES = 12 << 20;
const BYTES_PER_ENTRY = 8 + 4 + 1;

export function createBlockDecoder(reader: BlockReader): BlockDecoder {
  const cache = createCache<DecodedBlock>(
    CACHE_BYTES,
    ({ times }) => times.length * BYTES_PER_ENTRY,
  );

  return {
    async *decode(indexed, blocks, deadline) {
      const keyOf = (block: Block) => `${indexed.id}:${block.start}`;
      const missing: Block[] = [];
      for (const block of blocks) {
        const decoded = cache.get(keyOf(block));
        if (decoded?.end === block.end) yield decoded;
        else missing.push(block);
      }
      const times = growable(Float64Array);
      const pairs = growable(Uint32Array);
      const steps = growable(Uint8Array);
      const push = (entry: EntryCursor) => {
        times.push(entry.time);
        pairs.push(entry.pair);
        steps.push(latencyStep(entry.latency));
      };
      const walked = reader.walk(indexed, missing, push, 'all');
      for await (const block of walked) {
        const { length } = times;
        const decoded = {
          end: block.end,
          times: times.values.slice(0, length),
          pairs: pairs.values.slice(0, length),
          steps: steps.values.slice(0, length),
        };
        for (const each of [times, pairs, steps]) each.clear();
        cache.put(keyOf(block), decoded);
        yield decoded;
        if (deadline.hasPassed()) return;
        await deadline.yieldTurn();
      }
    },
    clear: cache.clear,
  };
}
