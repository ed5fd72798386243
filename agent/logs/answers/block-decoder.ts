import type { Classifier } from '../index/classifier.ts';
import type { Patience } from '../index/deadline.ts';
import { growable } from '../index/growable.ts';
import { latencyStep } from '../index/latency.ts';
import type { Indexed } from '../index/log-index.ts';
import type { Found } from '../index/segment-index.ts';
import { type BlockCache, createBlockCache } from './block-cache.ts';
import type { Reader } from './block-reader.ts';

/** Time, pair and latency step of each entry of a block, where its sums are not fine enough. */
export type Decoded = {
  /** Where the block ended when it was read. */
  end: number;
  times: Float64Array;
  pairs: Uint32Array;
  steps: Uint8Array;
};

export type Decoder = {
  /** Blocks of one segment, in any order; fewer where patience runs out. */
  decode(
    indexed: Indexed,
    blocks: readonly Found[],
    patience: Patience,
  ): AsyncGenerator<{ block: Found; decoded: Decoded }>;
  clear(): void;
};

const CACHE_BYTES = 12 << 20;
const BYTES_PER_ENTRY = 8 + 4 + 1;
const EVERY_PART = -1;

export function createDecoder(reader: Reader, classifier: Classifier): Decoder {
  const cache: BlockCache<Decoded> = createBlockCache(
    CACHE_BYTES,
    ({ times }) => times.length * BYTES_PER_ENTRY,
  );

  return {
    async *decode(indexed, blocks, patience) {
      const keyOf = (block: Found) => `${indexed.id}:${block.start}`;
      const missing: Found[] = [];
      for (const block of blocks) {
        const decoded = cache.get(keyOf(block));
        if (decoded?.end === block.end) yield { block, decoded };
        else missing.push({ ...block, parts: EVERY_PART });
      }
      const [times, pairs, steps] = [
        growable(Float64Array),
        growable(Uint32Array),
        growable(Uint8Array),
      ];
      const visit = (pair: number) => {
        times.push(classifier.time);
        pairs.push(pair);
        steps.push(latencyStep(classifier.latency));
      };
      for await (const block of reader.walk(indexed, missing, visit)) {
        const { length } = times;
        const decoded = {
          end: block.end,
          times: Float64Array.from(times.values.subarray(0, length)),
          pairs: Uint32Array.from(pairs.values.subarray(0, length)),
          steps: Uint8Array.from(steps.values.subarray(0, length)),
        };
        for (const each of [times, pairs, steps]) each.resize(0);
        cache.put(keyOf(block), decoded);
        yield { block, decoded };
        if (patience.isOver()) return;
        await patience.breathe();
      }
    },
    clear: () => cache.clear(),
  };
}
