/** Numbers over time: requests by status class, latencies, and the busiest domains and statuses. */
import type { LogStats, StatsQuery } from '../../../src/shared/wire.ts';
import type { Block } from '../index/block.ts';
import type { Deadline } from '../index/deadline.ts';
import { hostKey } from '../index/host.ts';
import { latencyStep } from '../index/latency.ts';
import type { IndexedSegment, Snapshot } from '../index/log-index.ts';
import type { IndexView } from '../index/segment-index.ts';
import type { BlockDecoder, DecodedBlock } from './block-decoder.ts';
import type { BlockReader } from './block-reader.ts';
import { type Buckets, classOf, createBuckets } from './buckets.ts';
import { parseConditions } from './filter.ts';
import type { LatestRequests, SegmentBlocks } from './latest.ts';
import { createTopCounter } from './top-counter.ts';

/** Times are in milliseconds since 1970; the range is [from, to), by default that of all entries. */
export type StatsFilter = { domain?: string; from?: number; to?: number; buckets: number };

export type StatsTools = {
  reader: BlockReader;
  decoder: BlockDecoder;
  latest: LatestRequests;
  deadline: Deadline;
};

const DEFAULT_BUCKETS = 60;
const TOP = 10;
// Blocks added between two looks at the clock.
const BLOCKS_PER_TURN = 64;

/** Reads the parameters of a URL that match the schema. */
export function parseStatsQuery({ buckets, ...query }: StatsQuery): StatsFilter {
  return { ...parseConditions(query), buckets: Number(buckets || DEFAULT_BUCKETS) };
}

/** The requests of one segment by pair, and the status class of each pair. */
type Counting = {
  indexed: IndexedSegment;
  view: IndexView;
  classes: Uint8Array;
  requests: Float64Array;
};

/**
 * The numbers of a range. A block that is completely in one bucket is added from the index; any other
 * is read entry by entry, so that every count is exact. `partial` if the deadline passes.
 * @throws SegmentGone
 */
export async function readStats(
  snapshot: Snapshot,
  filter: StatsFilter,
  tools: StatsTools,
): Promise<LogStats> {
  const { segments } = snapshot;
  const range = rangeOf(segments, filter);
  const { from, to } = range ?? { from: 0, to: 0 };
  const key = filter.domain === undefined ? undefined : hostKey(filter.domain);
  const buckets = createBuckets(from, to, filter.buckets);
  const domains = createTopCounter<string>();
  const statuses = createTopCounter<number>();
  const inRange: SegmentBlocks[] = [];
  let { complete } = snapshot;
  let requests = 0;

  for (const indexed of segments) {
    const counting = startCounting(indexed, key);
    const blocks = [...counting.view.blocks()].filter(
      ({ earliest, latest }) => latest >= from && earliest < to,
    );
    inRange.push({ indexed, view: counting.view, blocks });
    const rest = await addBlocks(counting, blocks, buckets, tools.deadline);
    if (!(await addEntries(counting, rest, buckets, key, tools))) complete = false;
    for (const [pair, count] of counting.requests.entries()) {
      if (count === 0) continue;
      const { domain, status } = indexed.index.pairs.describe(pair);
      requests += count;
      statuses.add(status, count);
      const name = domain ?? key;
      if (name !== undefined) domains.add(name, count);
    }
  }
  const iso = (time: number) => (range ? new Date(time).toISOString() : null);
  return {
    from: iso(from),
    to: iso(to),
    requests,
    buckets: buckets.answer(),
    domains: domains.top(TOP).map(([domain, count]) => ({ domain, requests: count })),
    statuses: statuses.top(TOP).map(([status, count]) => ({ status, requests: count })),
    latest: await tools.latest.read(inRange, { key, from, to }, tools.deadline),
    ...(!complete && { partial: true as const }),
  };
}

/** The requested range, by default that of all entries; undefined if no entry has a time. */
export function rangeOf(
  segments: readonly IndexedSegment[],
  { from, to }: Pick<StatsFilter, 'from' | 'to'>,
): { from: number; to: number } | undefined {
  const earliest = Math.min(...segments.map(({ index }) => index.earliest));
  const latest = Math.max(...segments.map(({ index }) => index.latest));
  const first = from ?? earliest;
  const end = to ?? latest + 1;
  if (!Number.isFinite(first) || !Number.isFinite(end)) return undefined;
  return { from: first, to: Math.max(first, end) };
}

function startCounting(indexed: IndexedSegment, key: string | undefined): Counting {
  const { pairs } = indexed.index;
  const { length } = pairs;
  const classes = Uint8Array.from({ length }, (_, pair) => classOf(pairs.describe(pair).status));
  const requests = new Float64Array(length);
  return { indexed, view: indexed.index.view(key), classes, requests };
}

/** Adds the blocks that are completely in one bucket; returns the others. */
async function addBlocks(
  { indexed, view, classes, requests }: Counting,
  blocks: readonly Block[],
  buckets: Buckets,
  deadline: Deadline,
): Promise<Block[]> {
  const { wanted, certain } = view.selection;
  const rest: Block[] = [];
  for (const [i, block] of blocks.entries()) {
    const bucket = buckets.indexOfAll(block);
    if (!certain || block.number < 0 || bucket < 0) {
      rest.push(block);
      continue;
    }
    indexed.index.rows(block.number, (pair, count, steps, first) => {
      if (wanted[pair] !== 1) return;
      requests[pair] = (requests[pair] as number) + count;
      buckets.add(bucket, classes[pair] as number, count);
      buckets.addSteps(bucket, steps, first, first + count);
    });
    if (i % BLOCKS_PER_TURN === 0) await deadline.yieldTurn();
  }
  return rest;
}

/** Adds the entries of blocks one by one; false if the deadline passes. */
async function addEntries(
  { indexed, view, classes, requests }: Counting,
  blocks: readonly Block[],
  buckets: Buckets,
  key: string | undefined,
  { reader, decoder, deadline }: StatsTools,
): Promise<boolean> {
  const { wanted, certain } = view.selection;
  let left = blocks.length;

  function add({ times, pairs, steps }: Omit<DecodedBlock, 'end'>): void {
    for (let i = 0; i < pairs.length; i++) {
      const pair = pairs[i] as number;
      const bucket = wanted[pair] === 1 ? buckets.indexOf(times[i] as number) : -1;
      if (bucket < 0) continue;
      requests[pair] = (requests[pair] as number) + 1;
      buckets.add(bucket, classes[pair] as number, 1);
      buckets.addSteps(bucket, steps, i, i + 1);
    }
  }

  if (certain) {
    for await (const block of decoder.decode(indexed, blocks, deadline)) {
      add(block);
      left--;
    }
    return left === 0;
  }
  // The index does not know the domain, so the lines have to be read.
  const walked = reader.walk(indexed, blocks, (entry) => {
    if (wanted[entry.pair] !== 1 || entry.facts()?.key !== key) return;
    add({
      times: Float64Array.of(entry.time),
      pairs: Uint32Array.of(entry.pair),
      steps: Uint8Array.of(latencyStep(entry.latency)),
    });
  });
  for await (const _ of walked) {
    left--;
    if (deadline.hasPassed()) break;
    await deadline.yieldTurn();
  }
  return left === 0;
}
