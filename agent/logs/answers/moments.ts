/** Reads when the matches of blocks were written, from the index or else from the lines. */

import { createCache } from '../../../src/shared/memoize.ts';
import { TIMELESS } from '../../../src/shared/wire/merge.ts';
import { type Block, type Moments, placeOf } from '../index/block.ts';
import { growable } from '../index/growable.ts';
import type { EntryCursor } from '../line/classifier.ts';
import type { BlockReader } from './block-reader.ts';
import type { SegmentMatches } from './matches.ts';

/** A block with matches; `moments` are set if not all of them count. */
export type Part = { of: SegmentMatches; block: Block; count: number; moments?: Moments };

export type MomentReader = {
  /**
   * The times (see `TIMELESS`) and places of the matches of each part, in the order of the parts.
   * @throws SegmentGone
   */
  read(parts: readonly Part[]): Promise<Moments[]>;
};

export type MomentCache = ReturnType<typeof createMomentCache>;

const CACHE_BYTES = 8 << 20;
const BYTES_PER_ENTRY = 8 + 2;

/** For blocks whose lines have to be read. */
export const createMomentCache = () =>
  createCache<Moments>(CACHE_BYTES, ({ times }) => times.length * BYTES_PER_ENTRY);

/** The time by which an entry is put in order. */
export const orderTime = (time: number): number => (Number.isNaN(time) ? TIMELESS : time);

/** No entry of the block is older, or newer. */
export const earliestOf = ({ earliest, timeless }: Block) => (timeless > 0 ? TIMELESS : earliest);
export const latestOf = ({ latest }: Block) => Math.max(latest, TIMELESS);

/** @param name identifies the filter that the parts are of */
export function createMomentReader(
  reader: BlockReader,
  cache: MomentCache,
  name: string,
): MomentReader {
  const keyOf = ({ of, block }: Part) => `${of.indexed.id}:${block.start}:${block.end}:${name}`;

  function known(part: Part): Moments | undefined {
    if (part.moments) return part.moments;
    const held = part.of.isExact(part.block) ? part.block.moments() : null;
    return held ?? cache.get(keyOf(part));
  }

  async function readLines(parts: readonly Part[], found: Map<Part, Moments>): Promise<void> {
    const times = growable(Float64Array);
    const places = growable(Uint16Array);
    for (const [of, some] of Map.groupBy(parts, (part) => part.of)) {
      const partOf = new Map(some.map((part) => [part.block, part]));
      const visit = (entry: EntryCursor, offset: number) => {
        if (!of.match(entry)) return;
        times.push(entry.time);
        places.push(placeOf(offset));
      };
      for await (const block of reader.walk(of.indexed, [...partOf.keys()], visit)) {
        const part = partOf.get(block) as Part;
        const { length } = times;
        const moments = {
          times: times.values.slice(0, length),
          places: places.values.slice(0, length),
        };
        for (const each of [times, places]) each.clear();
        cache.put(keyOf(part), moments);
        found.set(part, moments);
      }
    }
  }

  return {
    async read(parts) {
      const found = new Map<Part, Moments>();
      for (const part of parts) {
        const moments = known(part);
        if (moments) found.set(part, moments);
      }
      await readLines(
        parts.filter((part) => !found.has(part)),
        found,
      );
      return parts.map((part) => found.get(part) as Moments);
    },
  };
}
