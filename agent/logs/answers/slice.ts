/** Reads a slice of the matches in the order of their times. */
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
import { type MergeAnswer, type MergeRequest, TIMELESS } from '../../../src/shared/wire/merge.ts';
import type { BlockReader, BlockRequest } from './block-reader.ts';
import { goneFrom, SegmentGone } from './lines-at.ts';
import { earliestOf, latestOf, type MomentReader, orderTime, type Part } from './moments.ts';

/** An entry in its place: which part it is of, and its place there. */
type Item = { time: number; part: number; place: number };

type Slice = NonNullable<MergeRequest['slice']>;

/**
 * Reads the entries of a slice, and no other lines than those between their times.
 * @throws SegmentGone
 */
export async function readSlice(
  parts: readonly Part[],
  { from, to = Number.POSITIVE_INFINITY, skip, limit }: Slice,
  details: boolean,
  reader: BlockReader,
  moments: MomentReader,
): Promise<Pick<MergeAnswer, 'times' | 'logs'>> {
  const first = from ?? newestFrom(parts, skip + limit);
  const near = parts.filter(({ block }) => latestOf(block) >= first && earliestOf(block) < to);
  const items: Item[] = [];
  for (const [part, { times, places }] of (await moments.read(near)).entries()) {
    for (let i = 0; i < times.length; i++) {
      const time = orderTime(times[i] as number);
      if (time >= first && time < to) items.push({ time, part, place: places[i] as number });
    }
  }
  items.sort((a, b) => b.time - a.time || a.part - b.part || b.place - a.place);
  const chosen = items.slice(skip, skip + limit);
  const entries = await readEntries(near, items, chosen, details, reader);
  return {
    times: chosen.map(({ time }) => time),
    logs: chosen.map((item) => entries.get(item) ?? null),
  };
}

/** A time from which on there are at least so many entries, as far as there are. */
function newestFrom(parts: readonly Part[], wanted: number): number {
  let count = 0;
  for (const part of parts.toSorted((a, b) => earliestOf(b.block) - earliestOf(a.block))) {
    count += part.count;
    if (count >= wanted) return earliestOf(part.block);
  }
  return TIMELESS;
}

/** The entries of the chosen items, which follow each other in the order of all; null for damaged lines. */
async function readEntries(
  parts: readonly Part[],
  items: readonly Item[],
  chosen: readonly Item[],
  details: boolean,
  reader: BlockReader,
): Promise<Map<Item, LogEntry | null>> {
  const found = new Map<Item, LogEntry | null>();
  const [latest, earliest] = [chosen[0]?.time ?? 0, chosen.at(-1)?.time ?? 0];
  const isNear = (time: number) => time >= earliest && time <= latest;
  const wanted = new Set(chosen.map(({ part }) => part));
  const near = items.filter(({ time, part }) => isNear(time) && wanted.has(part));
  // A reader tells lines apart by what is in them: it reads all of a block with a time in between.
  const requests = Map.groupBy(near, ({ part }) => parts[part]?.of);
  for (const [of, some] of requests) {
    if (!of) continue;
    const itemsOf = new Map<BlockRequest, Item[]>();
    for (const [part, inBlock] of Map.groupBy(some, ({ part }) => part)) {
      const { block } = parts[part] as Part;
      const newestFirst = inBlock.toSorted((a, b) => b.place - a.place);
      const places = Uint16Array.from(newestFirst, ({ place }) => place).reverse();
      const limit = places.length;
      const asked = { ...block, count: limit, places: () => places };
      itemsOf.set({ block: asked, skip: 0, limit }, newestFirst);
    }
    const isWanted: typeof of.match = (entry) => of.match(entry) && isNear(orderTime(entry.time));
    const requests = [...itemsOf.keys()];
    for await (const { request, entries } of reader.read(of.indexed, requests, isWanted, details)) {
      const inBlock = itemsOf.get(request) ?? [];
      if (entries.length < inBlock.length) {
        throw goneFrom(of.indexed, new SegmentGone('the segment has changed'));
      }
      for (const [i, item] of inBlock.entries()) found.set(item, entries[i] ?? null);
    }
  }
  return found;
}
