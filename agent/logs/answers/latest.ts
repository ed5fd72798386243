/** The paths and addresses of the newest requests, which the index does not hold. */
import type { Deadline } from '../../../src/shared/async.ts';
import type { LogSums } from '../../../src/shared/wire/merge.ts';
import { type Block, isWithin } from '../index/block.ts';
import type { IndexedSegment } from '../index/log-index.ts';
import type { IndexView } from '../index/segment-index.ts';
import type { BlockReader } from './block-reader.ts';
import { createBlockCache } from './block-reader.ts';
import { createTally } from './buckets.ts';

/** Blocks of one segment that hold entries of a range, newest first, and the view they are from. */
export type SegmentBlocks = {
  indexed: IndexedSegment;
  view: IndexView;
  blocks: readonly Block[];
};

/** Entries of a host (as `hostKey` makes it) or of all, with a time in [from, to). */
type Range = { key: string | undefined; from: number; to: number };

export type LatestRequests = {
  /**
   * Counts the newest requests, about 5000; `partial` if there are more, or if the deadline passes.
   * @throws SegmentGone
   */
  read(
    segments: readonly SegmentBlocks[],
    range: Range,
    deadline: Deadline,
  ): Promise<LogSums['latest']>;
  clear(): void;
};

/** Requests by path and by address in a block, and where the block ended then. */
type Sums = { end: number; paths: Map<string, number>; ips: Map<string, number> };

// About as many as can be read in a few hundredths of a second.
const REQUESTS = 5000;
const BLOCKS = 64;
const NAMES_KEPT = 100_000;

export function createLatestRequests(reader: BlockReader): LatestRequests {
  // For blocks that are completely in the range, as almost all are.
  const cache = createBlockCache<Sums>(NAMES_KEPT, ({ paths, ips }) => paths.size + ips.size);

  async function* sumsOf(
    { indexed, view, blocks }: SegmentBlocks,
    { key, from, to }: Range,
  ): AsyncGenerator<Sums> {
    const { wanted, certain } = view.selection;
    const keyOf = (block: Block) => `${indexed.id}:${block.start}:${key ?? '*'}`;
    const missing: Block[] = [];
    for (const block of blocks) {
      const sums = isWithin(block, from, to) ? cache.get(keyOf(block)) : undefined;
      if (sums?.end === block.end) yield sums;
      else missing.push(block);
    }
    let paths = new Map<string, number>();
    let ips = new Map<string, number>();
    const walked = reader.walk(indexed, missing, (entry) => {
      if (wanted[entry.pair] !== 1 || !(entry.time >= from && entry.time < to)) return;
      if (!certain && entry.facts()?.key !== key) return;
      const { path, ip } = entry.request();
      paths.set(path, (paths.get(path) ?? 0) + 1);
      ips.set(ip, (ips.get(ip) ?? 0) + 1);
    });
    for await (const block of walked) {
      const sums = { end: block.end, paths, ips };
      if (isWithin(block, from, to)) cache.put(keyOf(block), sums);
      [paths, ips] = [new Map(), new Map()];
      yield sums;
    }
  }

  return {
    async read(segments, range, deadline) {
      const paths = createTally<string>();
      const ips = createTally<string>();
      let [requests, blocksLeft, requestsLeft] = [0, BLOCKS, REQUESTS];
      let complete = true;
      for (const segment of segments) {
        const chosen: Block[] = [];
        for (const block of segment.blocks) {
          if (blocksLeft-- <= 0 || requestsLeft <= 0) break;
          chosen.push(block);
          requestsLeft -= block.count;
        }
        let left = segment.blocks.length;
        for await (const sums of sumsOf({ ...segment, blocks: chosen }, range)) {
          for (const [path, count] of sums.paths) {
            paths.add(path, count);
            requests += count;
          }
          for (const [ip, count] of sums.ips) ips.add(ip, count);
          left--;
          if (deadline.hasPassed()) break;
          await deadline.yieldTurn();
        }
        complete = left === 0;
        if (!complete) break;
      }
      return {
        requests,
        paths: paths.list(),
        ips: ips.list(),
        ...(!complete && { partial: true as const }),
      };
    },
    clear: cache.clear,
  };
}
