import type { LogStats } from '../../../src/shared/wire.ts';
import type { Classifier } from '../index/classifier.ts';
import type { Patience } from '../index/deadline.ts';
import type { Indexed } from '../index/log-index.ts';
import type { Found, IndexView } from '../index/segment-index.ts';
import { createBlockCache } from './block-cache.ts';
import type { Reader } from './block-reader.ts';
import { createTop } from './top-counter.ts';

/** The paths and addresses of the newest requests, which no index keeps. */
export type Latest = {
  read(
    parts: readonly { indexed: Indexed; view: IndexView; blocks: readonly Found[] }[],
    range: Range,
    patience: Patience,
  ): Promise<LogStats['latest']>;
  clear(): void;
};

type Range = { key: string | undefined; from: number; to: number };
type Sums = { end: number; paths: Map<string, number>; ips: Map<string, number> };

// About as many as are read within a few hundredths of a second.
const REQUESTS = 5000;
const BLOCKS = 64;
const TOP = 10;
const NAMES_KEPT = 100_000;

export function createLatest(reader: Reader, classifier: Classifier): Latest {
  // Of blocks that lie within the range, as almost all do.
  const cache = createBlockCache<Sums>(NAMES_KEPT, ({ paths, ips }) => paths.size + ips.size);

  async function* sumsOf(
    indexed: Indexed,
    view: IndexView,
    blocks: readonly Found[],
    { key, from, to }: Range,
  ): AsyncGenerator<Sums> {
    const { wanted, certain } = view.selection;
    const isWithin = ({ earliest, latest, timeless }: Found) =>
      earliest >= from && latest < to && timeless === 0;
    const keyOf = (block: Found) => `${indexed.id}:${block.start}:${key ?? '*'}`;
    const missing: Found[] = [];
    for (const block of blocks) {
      const sums = isWithin(block) ? cache.get(keyOf(block)) : undefined;
      if (sums?.end === block.end) yield sums;
      else missing.push(block);
    }
    let sums: Sums = { end: 0, paths: new Map(), ips: new Map() };
    const visit = (pair: number) => {
      if (wanted[pair] !== 1 || !(classifier.time >= from && classifier.time < to)) return;
      if (!certain && classifier.facts()?.key !== key) return;
      const { path, ip } = classifier.request();
      sums.paths.set(path, (sums.paths.get(path) ?? 0) + 1);
      sums.ips.set(ip, (sums.ips.get(ip) ?? 0) + 1);
    };
    for await (const block of reader.walk(indexed, missing, visit)) {
      const done = { ...sums, end: block.end };
      if (isWithin(block)) cache.put(keyOf(block), done);
      sums = { end: 0, paths: new Map(), ips: new Map() };
      yield done;
    }
  }

  return {
    async read(parts, range, patience) {
      const paths = createTop<string>();
      const ips = createTop<string>();
      let [requests, blocksLeft, requestsLeft] = [0, BLOCKS, REQUESTS];
      let complete = true;
      for (const { indexed, view, blocks } of parts) {
        const chosen: Found[] = [];
        for (const block of blocks) {
          if (blocksLeft-- <= 0 || requestsLeft <= 0) break;
          chosen.push(block);
          requestsLeft -= block.count;
        }
        let left = blocks.length;
        for await (const sums of sumsOf(indexed, view, chosen, range)) {
          for (const [path, count] of sums.paths) {
            paths.add(path, count);
            requests += count;
          }
          for (const [ip, count] of sums.ips) ips.add(ip, count);
          left--;
          if (patience.isOver()) break;
          await patience.breathe();
        }
        complete = left === 0;
        if (!complete) break;
      }
      return {
        requests,
        paths: paths.first(TOP).map(([path, count]) => ({ path, requests: count })),
        ips: ips.first(TOP).map(([ip, count]) => ({ ip, requests: count })),
        ...(!complete && { partial: true as const }),
      };
    },
    clear: () => cache.clear(),
  };
}
