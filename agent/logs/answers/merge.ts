/**
 * The matches in the order of their times, for a hub that merges the logs of several agents: how many
 * there are from some times on, and slices of them.
 */
import type { MergeAnswer, MergeRequest } from '../../../src/shared/wire-merge.ts';
import type { Snapshot } from '../index/log-index.ts';
import { type Conditions, parseConditions } from './filter.ts';
import { allMatches, type PageTools } from './matches.ts';
import {
  createMomentReader,
  earliestOf,
  latestOf,
  type MomentCache,
  type MomentReader,
  orderTime,
  type Part,
} from './moments.ts';
import { endOf, formatPin, parsePin, partsOf, pinnedParts, pinnedTo } from './parts.ts';
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
