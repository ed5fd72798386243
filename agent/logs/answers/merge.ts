/**
 * The matches in the order of their times, for a hub that merges the logs of several agents: how many
 * there are from some times on, and slices of them.
 */
import type { MergeAnswer, MergeRequest } from '../../../src/shared/wire/merge.ts';
import { type Moments, placeOf } from '../index/block.ts';
import type { Snapshot } from '../index/log-index.ts';
import { type Conditions, parseConditions } from './filter.ts';
import { allMatches, type PageTools, type SegmentMatches } from './matches.ts';
import {
  createMomentReader,
  earliestOf,
  latestOf,
  type MomentCache,
  type MomentReader,
  orderTime,
  type Part,
} from './moments.ts';
import { readSlice } from './slice.ts';

/** As `MergeRequest`, with the conditions read. */
export type MergeFilter = Omit<MergeRequest, 'conditions'> & { conditions: Conditions };

/** `run` tells the process from any other. */
type MergeTools = PageTools & { moments: MomentCache; run: string };

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
    ...(slice && (await readSlice(parts, slice, details, reader, moments))),
    ...((!complete || pin.oldest) && { partial: true as const }),
  };
}

function rangeOf({ segments }: Snapshot): MergeAnswer['range'] {
  const earliest = Math.min(...segments.map(({ index }) => index.earliest));
  const latest = Math.max(...segments.map(({ index }) => index.latest));
  return Number.isFinite(earliest) ? { earliest, latest } : null;
}

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

/**
 * The part of the log that a series of requests is about: up to `end` in the newest segment, and if
 * the first request could not count everything, from a block on.
 */
type Pin = {
  newest: { id: number; end: number };
  oldest?: { id: number; start: number } | undefined;
};

/** The end of the log as the snapshot has it at this moment. */
function endOf({ segments: [newest] }: Snapshot): Pin {
  return { newest: { id: newest?.id ?? 0, end: newest?.index.end ?? 0 } };
}

/** @param run tells the process from any other: it has its own ids */
function formatPin(run: string, { newest, oldest }: Pin): string {
  const ids = [newest.id, newest.end, ...(oldest ? [oldest.id, oldest.start] : [])];
  return [run, ...ids].join(' ');
}

/** Undefined if the pin is of another run. */
function parsePin(run: string, text: string): Pin | undefined {
  const [of, ...numbers] = text.split(' ');
  const [id, end, oldest, start] = numbers.map(Number);
  if (of !== run || id === undefined || end === undefined) return undefined;
  const hasOldest = oldest !== undefined && start !== undefined;
  return { newest: { id, end }, ...(hasOldest && { oldest: { id: oldest, start } }) };
}

/** All parts, newest first. */
const partsOf = (found: readonly SegmentMatches[]): Part[] =>
  found.flatMap((of) => Array.from(of.blocks, (block) => ({ of, block, count: block.count })));

/** Pins parts that were not all counted: what is older does not count later either. */
function pinnedTo(parts: readonly Part[], pin: Pin): Pin {
  const last = parts.at(-1);
  return { ...pin, ...(last && { oldest: { id: last.of.indexed.id, start: last.block.start } }) };
}

/**
 * The parts that a pin is about, newest first; undefined if its end is not there any more.
 * @throws SegmentGone
 */
async function pinnedParts(
  found: readonly SegmentMatches[],
  { newest, oldest }: Pin,
  moments: MomentReader,
): Promise<Part[] | undefined> {
  const first = found.findIndex(({ indexed }) => indexed.id === newest.id);
  if (first < 0) return undefined;
  const last = found.findIndex(({ indexed }) => indexed.id === oldest?.id);
  const parts: Part[] = [];
  for (const part of partsOf(found.slice(first, last < 0 ? undefined : last + 1))) {
    const { id } = part.of.indexed;
    const { start, end } = part.block;
    if (id === newest.id && start >= newest.end) continue;
    if (id === oldest?.id && start < oldest.start) continue;
    const isCut = id === newest.id && end > newest.end;
    parts.push(isCut ? await cutAt(newest.end, part, moments) : part);
  }
  return parts;
}

/** Without the lines that were written after `end`, which is the end of a line in the block. */
async function cutAt(end: number, part: Part, { read }: MomentReader): Promise<Part> {
  const [all] = await read([part]);
  const { times, places } = all as Moments;
  // An entry is longer than a place, so none from before starts in this one.
  const limit = placeOf(end - part.block.start);
  const isBefore = (_: number, i: number) => (places[i] as number) < limit;
  const moments = { times: times.filter(isBefore), places: places.filter(isBefore) };
  return { ...part, count: moments.times.length, moments };
}
