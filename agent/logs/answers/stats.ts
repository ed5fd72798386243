/** Numbers over time: visitors' requests by status class, latency, domain and status. */
import type { Deadline } from '../../../src/shared/async.ts';
import type { StatsQuery } from '../../../src/shared/wire/logs.ts';
import type { LogSums } from '../../../src/shared/wire/merge.ts';
import { blocksBetween } from '../index/block.ts';
import { hasAll, type IndexedSegment, type Snapshot } from '../index/log-index.ts';
import { hostKey } from '../line/entry.ts';
import { latencyStep } from '../line/latency.ts';
import { type AddRequests, addBlocks } from './add-blocks.ts';
import type { BlockDecoder } from './block-decoder.ts';
import type { BlockReader } from './block-reader.ts';
import { type Buckets, classOf, createBuckets, createTally } from './buckets.ts';
import { parseConditions } from './filter.ts';
import type { LatestRequests, SegmentBlocks } from './latest.ts';

/** Times are in milliseconds since 1970; the range is [from, to), by default that of all entries. */
export type StatsFilter = { domain?: string; from?: number; to?: number; buckets: number };

type StatsTools = {
  reader: BlockReader;
  decoder: BlockDecoder;
  latest: LatestRequests;
  deadline: Deadline;
};

const DEFAULT_BUCKETS = 60;

/** Reads the parameters of a URL that match the schema. */
export function parseStatsQuery({ buckets, ...query }: StatsQuery): StatsFilter {
  return { ...parseConditions(query), buckets: Number(buckets || DEFAULT_BUCKETS) };
}

/**
 * The numbers of a range, `partial` if the deadline passes.
 * @throws SegmentGone
 */
export async function readSums(
  snapshot: Snapshot,
  filter: StatsFilter,
  tools: StatsTools,
): Promise<LogSums> {
  const { segments } = snapshot;
  const { from, to, shown } = rangeOf(segments, filter);
  const key = filter.domain === undefined ? undefined : hostKey(filter.domain);
  const buckets = createBuckets(from, to, filter.buckets);
  const domains = createTally<string>();
  const statuses = createTally<number>();
  const inRange: SegmentBlocks[] = [];
  let complete = hasAll(snapshot, filter.from);
  let requests = 0;

  for (const indexed of segments) {
    const view = indexed.index.view({ key, visitors: true });
    const segment = { indexed, view, blocks: blocksBetween(view.blocks(), from, to) };
    inRange.push(segment);
    const counted = await countPairs(segment, key, buckets, tools);
    complete &&= counted.complete;
    for (const [pair, count] of counted.requests.entries()) {
      if (count === 0) continue;
      const { domain, status } = indexed.index.pairs.describe(pair);
      requests += count;
      statuses.add(status, count);
      const name = domain ?? key;
      if (name !== undefined) domains.add(name, count);
    }
  }
  return {
    ...shown,
    requests,
    buckets: buckets.answer(),
    domains: domains.list(),
    statuses: statuses.list(),
    latest: await tools.latest.read(inRange, { key, from, to }, tools.deadline),
    ...(!complete && { partial: true as const }),
  };
}

/** The requested range, by default that of all entries, and as it is sent; empty if no entry has a time. */
export function rangeOf(
  segments: readonly IndexedSegment[],
  { from, to }: Pick<StatsFilter, 'from' | 'to'>,
): { from: number; to: number; shown: { from: string | null; to: string | null } } {
  const earliest = Math.min(...segments.map(({ index }) => index.earliest));
  const latest = Math.max(...segments.map(({ index }) => index.latest));
  const first = from ?? earliest;
  const end = to ?? latest + 1;
  if (!Number.isFinite(first) || !Number.isFinite(end)) {
    return { from: 0, to: 0, shown: { from: null, to: null } };
  }
  const last = Math.max(first, end);
  const iso = (time: number) => new Date(time).toISOString();
  return { from: first, to: last, shown: { from: iso(first), to: iso(last) } };
}

/** The requests of one segment by pair; not `complete` if the deadline passes. */
async function countPairs(
  segment: SegmentBlocks,
  key: string | undefined,
  buckets: Buckets,
  { reader, decoder, deadline }: StatsTools,
): Promise<{ requests: Float64Array; complete: boolean }> {
  const { indexed, view, blocks } = segment;
  const { wanted, certain } = view.selection;
  const { pairs } = indexed.index;
  const { length } = pairs;
  const classes = Uint8Array.from({ length }, (_, pair) => classOf(pairs.describe(pair).status));
  const requests = new Float64Array(length);
  const add: AddRequests = (pair, bucket, count, steps, first) => {
    requests[pair] = (requests[pair] as number) + count;
    buckets.add(bucket, classes[pair] as number, count);
    buckets.addSteps(bucket, steps, first, first + count);
  };

  if (certain) {
    const complete = await addBlocks(segment, buckets, { decoder, deadline }, add);
    return { requests, complete };
  }
  // The index does not know the domain, so the lines have to be read.
  const walked = reader.walk(indexed, blocks, (entry) => {
    if (wanted[entry.pair] !== 1 || entry.facts()?.key !== key) return;
    const bucket = buckets.indexOf(entry.time);
    if (bucket >= 0) add(entry.pair, bucket, 1, Uint8Array.of(latencyStep(entry.latency)), 0);
  });
  let left = blocks.length;
  for await (const _ of walked) {
    left--;
    if (deadline.hasPassed()) break;
    await deadline.yieldTurn();
  }
  return { requests, complete: left === 0 };
}
