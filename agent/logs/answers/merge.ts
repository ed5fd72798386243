/**
 * The matches in the order of their times, for a hub that merges the logs of several agents: how many
 * there are from some times on, and slices of them.
 */
import type { LogEntry } from '../../../src/shared/wire.ts';
import { type MergeAnswer, type MergeRequest, TIMELESS } from '../../../src/shared/wire-merge.ts';
import type { Block } from '../index/block.ts';
import { entryFacts, toEntry } from '../index/entry.ts';
import type { Snapshot } from '../index/log-index.ts';
import type { BlockRequest } from './block-reader.ts';
import { detailsOf } from './details.ts';
import { type Conditions, parseConditions } from './filter.ts';
import { SegmentGone } from './lines-at.ts';
import { allMatches, type PageTools } from './matches.ts';
import {
  createMomentReader,
  type MomentCache,
  type MomentReader,
  orderTime,
  type Part,
} from './moments.ts';
import { endOf, formatPin, parsePin, partsOf, pinnedParts, pinnedTo } from './parts.ts';

/** As `MergeRequest`, with the conditions read. */
export type MergeFilter = Omit<MergeRequest, 'conditions'> & { conditions: Conditions };

/** `run` tells the process from any other. */
export type MergeTools = PageTools & { moments: MomentCache; run: string };

/** An entry in its place: which part it is of, and its place there. */
type Item = { time: number; part: number; place: number };

const SPANS = 256;

export function parseMergeRequest({ conditions, ...request }: MergeRequest): MergeFilter {
  return { ...request, conditions: parseConditions(conditions) };
}

/**
 * Answers one request of a series. What was written after the first one does not count.
 * @throws SegmentGone
 */
export async function readMerge(
  snapshot: Snapshot,
  filter: MergeFilter,
  tools: MergeTools,
): Promise<MergeAnswer> {
  const { conditions, times, slice, details = false } = filter;
  const { reader, run } = tools;
  const moments = createMomentReader(reader, tools.moments, JSON.stringify(conditions));
  const now = endOf(snapshot);
  const { found, complete } = await allMatches(snapshot, conditions, tools);
  const asked = filter.pin === undefined ? undefined : parsePin(run, filter.pin);
  const pinned = asked && (await pinnedParts(found, asked, moments));
  const parts = pinned ?? partsOf(found);
  const pin = pinned && asked ? asked : complete ? now : pinnedTo(parts, now);
  return {
    pin: formatPin(run, pin),
    total: parts.reduce((sum, { count }) => sum + count, 0),
    range: rangeOf(snapshot),
    ...(times && { counts: await countFrom(parts, times, moments) }),
    ...(filter.spans && { spans: spansOf(parts) }),
    ...(slice && (await readSlice(parts, slice, details, tools, moments))),
    ...((!complete || pin.oldest) && { partial: true as const }),
  };
}

function rangeOf({ segments }: Snapshot): MergeAnswer['range'] {
  const earliest = Math.min(...segments.map(({ index }) => index.earliest));
  const latest = Math.max(...segments.map(({ index }) => index.latest));
  return Number.isFinite(earliest) ? { earliest, latest } : null;
}

/** None of the block's entries is older, or newer. */
const earliestOf = ({ earliest, timeless }: Block) => (timeless > 0 ? TIMELESS : earliest);
const latestOf = ({ latest }: Block) => Math.max(latest, TIMELESS);

/** How many entries have each of the times or a later one. */
async function countFrom(
  parts: readonly Part[],
  times: readonly number[],
  { read }: MomentReader,
): Promise<number[]> {
  const sorted = Float64Array.from(times).sort();
  // By number of times that are not later: how many entries have so many.
  const entries = new Float64Array(sorted.length + 1);
  const add = (at: number, count: number) => {
    entries[at] = (entries[at] as number) + count;
  };
  const divided: Part[] = [];
  for (const part of parts) {
    const at = countUpTo(sorted, earliestOf(part.block));
    if (at === countUpTo(sorted, latestOf(part.block))) add(at, part.count);
    else divided.push(part);
  }
  for (const { times } of await read(divided)) {
    for (const time of times) add(countUpTo(sorted, orderTime(time)), 1);
  }
  const counts = new Map<number, number>();
  for (let at = sorted.length, sum = 0; at > 0; at--) {
    sum += entries[at] as number;
    counts.set(sorted[at - 1] as number, sum);
  }
  return times.map((time) => counts.get(time) ?? 0);
}

/** How many of the sorted times are not later than one. */
function countUpTo(sorted: Float64Array, time: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as number) <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Neighbouring blocks together, so that there are not too many. */
function spansOf(parts: readonly Part[]): NonNullable<MergeAnswer['spans']> {
  const size = Math.ceil(parts.length / SPANS);
  const groups = Map.groupBy(parts, (_, i) => Math.floor(i / size));
  return Array.from(groups.values(), (group) => [
    Math.min(...group.map(({ block }) => earliestOf(block))),
    Math.max(...group.map(({ block }) => latestOf(block))),
    group.reduce((sum, { count }) => sum + count, 0),
  ]);
}

type Slice = NonNullable<MergeRequest['slice']>;

async function readSlice(
  parts: readonly Part[],
  { from, to = Number.POSITIVE_INFINITY, skip, limit }: Slice,
  details: boolean,
  tools: MergeTools,
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
  const texts = await readTexts(near, items, chosen, tools);
  return {
    times: chosen.map(({ time }) => time),
    logs: chosen.map((item) => entryOf(texts.get(item) ?? '', details)),
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

/** The lines of the chosen items, which follow each other in the order of all. */
async function readTexts(
  parts: readonly Part[],
  items: readonly Item[],
  chosen: readonly Item[],
  { reader }: MergeTools,
): Promise<Map<Item, string>> {
  const texts = new Map<Item, string>();
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
      itemsOf.set({ block: { ...block, count: limit, places: () => places }, limit }, newestFirst);
    }
    const isWanted: typeof of.match = (entry) => of.match(entry) && isNear(orderTime(entry.time));
    for await (const { request, lines } of reader.read(of.indexed, [...itemsOf.keys()], isWanted)) {
      const inBlock = itemsOf.get(request) ?? [];
      if (lines.length < inBlock.length) throw new SegmentGone('the segment has changed');
      for (const [i, item] of inBlock.entries()) texts.set(item, (lines[i] as Buffer).toString());
    }
  }
  return texts;
}

/** Null for a line that the scanner takes for an entry although its headers are damaged. */
function entryOf(text: string, details: boolean): LogEntry | null {
  const facts = entryFacts(text);
  return facts ? { ...toEntry(facts), ...(details && { details: detailsOf(text) }) } : null;
}
