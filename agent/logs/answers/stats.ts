/** Numbers over time: visitors' requests by status class, latency, domain and status. */
import type { Deadline } from '../../../src/shared/async.ts';
import type { StatsQuery } from '../../../src/shared/wire/logs.ts';
import type { LogSums } from '../../../src/shared/wire/merge.ts';
import type { Block } from '../index/block.ts';
import { hasAll, type IndexedSegment, type Snapshot } from '../index/log-index.ts';
import { latencyStep, SWITCHING_PROTOCOLS } from '../line/latency.ts';
import { type AddRequests, addBlocks } from './add-blocks.ts';
import type { BlockDecoder } from './block-decoder.ts';
import type { BlockReader } from './block-reader.ts';
import { type Buckets, classOf, createBuckets, createTally } from './buckets.ts';
import {
  type Conditions,
  hostsOf,
  parseConditions,
  requestTest,
  type Selection,
  selectIn,
} from './filter.ts';
import type { LatestRequests } from './latest.ts';
import { createNames, type Names } from './names.ts';
import { takeSample } from './sample.ts';

/** The range of the conditions is by default that of all entries. */
export type StatsFilter = Conditions & { buckets: number };

type StatsTools = {
  reader: BlockReader;
  decoder: BlockDecoder;
  latest: LatestRequests;
  /** Bytes of lines to read at most; if there are more, a sample of the lines is read. */
  readLimit: number;
  deadline: Deadline;
};

const DEFAULT_BUCKETS = 60;

/** Reads the parameters of a URL that match the schema. */
export function parseStatsQuery({ buckets, ...query }: StatsQuery): StatsFilter {
  return { ...parseConditions(query), buckets: Number(buckets || DEFAULT_BUCKETS) };
}

/** What a filter selects in a segment, and the blocks that may have matches, newest first. */
type Selected = Selection & { indexed: IndexedSegment; blocks: Block[] };

/**
 * The numbers of a range, `partial` if the deadline passes. What the index does not hold is counted in
 * the lines, or in a sample of them.
 * @throws SegmentGone
 */
export async function readSums(
  snapshot: Snapshot,
  { buckets: wanted, ...filter }: StatsFilter,
  tools: StatsTools,
): Promise<LogSums> {
  const { from, to, shown } = rangeOf(snapshot.segments, filter);
  const buckets = createBuckets(from, to, wanted);
  const isInLines = requestTest(filter) !== undefined;
  const selected = snapshot.segments.map((indexed): Selected => {
    const selection = selectIn(indexed, { ...filter, from, to }, true);
    return { ...selection, indexed, blocks: selection.candidates() };
  });
  const toRead = selected.filter(({ view }) => isInLines || !view.selection.certain);
  const sample = takeSample(toRead, tools.readLimit);
  if (sample.of > 1) for (const { blocks } of toRead) blocks.forEach(buckets.expectSome);
  const names = createNames();
  const counts = createCounts(filter, buckets);
  let complete = hasAll(snapshot, filter.from);

  for (const one of selected) {
    const blocks = sample.blocks.get(one);
    const { length } = one.indexed.index.pairs;
    const requests = new Float64Array(length);
    const add = counts.adder(one, requests, blocks ? sample.of : 1);
    const isWhole = blocks
      ? await addLines({ ...one, blocks }, sample.of > 1, buckets, names, add, tools)
      : await addBlocks(one, buckets, tools, add);
    counts.addPairs(one, requests);
    complete &&= isWhole;
  }
  const { from: _, to: __, ...others } = filter;
  return {
    ...shown,
    ...counts.answer(),
    buckets: buckets.answer(),
    latest: isInLines
      ? { ...names.answer(sample.of), ...(!complete && { partial: true as const }) }
      : await tools.latest.read(
          selected,
          { name: JSON.stringify(others), from, to },
          tools.deadline,
        ),
    ...(sample.of > 1 && { sampled: { of: sample.of } }),
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

/** Adds up requests by domain and status. */
function createCounts(conditions: Conditions, buckets: Buckets) {
  const domains = createTally<string>();
  const statuses = createTally<number>();
  // The domain of requests that the index has under no name, if the filter leaves only one.
  const { names = [], hasPattern = true } = hostsOf(conditions) ?? {};
  const only = names.length === 1 && !hasPattern ? names[0] : undefined;
  let total = 0;

  return {
    /** Adds to the buckets, and to `requests` by pair. @param weight for how many requests each one stands */
    adder({ indexed }: Selected, requests: Float64Array, weight: number): AddRequests {
      const { pairs } = indexed.index;
      const classes = Uint8Array.from(requests, (_, pair) => classOf(pairs.describe(pair).status));
      const upgrades = Uint8Array.from(requests, (_, pair) =>
        Number(pairs.describe(pair).status === SWITCHING_PROTOCOLS),
      );
      return (pair, bucket, count, steps, first) => {
        requests[pair] = (requests[pair] as number) + count * weight;
        buckets.add(bucket, classes[pair] as number, count * weight);
        if (upgrades[pair] === 1) return;
        buckets.addSteps(bucket, steps, first, first + count, weight);
      };
    },
    addPairs({ indexed }: Selected, requests: Float64Array): void {
      for (const [pair, count] of requests.entries()) {
        if (count === 0) continue;
        const { domain, status } = indexed.index.pairs.describe(pair);
        total += count;
        statuses.add(status, count);
        const name = domain ?? only;
        if (name !== undefined) domains.add(name, count);
      }
    },
    answer: () => ({ requests: total, domains: domains.list(), statuses: statuses.list() }),
  };
}

/**
 * Adds the matches of blocks by reading their lines.
 * @param isSampled the blocks have only the lines to read
 * @returns false if the deadline passed before the last block
 */
async function addLines(
  { indexed, blocks, match }: Selected,
  isSampled: boolean,
  buckets: Buckets,
  names: Names,
  add: AddRequests,
  { reader, deadline }: StatsTools,
): Promise<boolean> {
  const steps = new Uint8Array(1);
  const walked = reader.walk(
    indexed,
    blocks,
    (entry) => {
      const bucket = buckets.indexOf(entry.time);
      if (bucket < 0) return;
      buckets.sawOne(bucket);
      if (!match(entry)) return;
      steps[0] = latencyStep(entry.latency);
      add(entry.pair, bucket, 1, steps, 0);
      names.add(entry);
    },
    isSampled ? 'only selected' : undefined,
  );
  let left = blocks.length;
  for await (const _ of walked) {
    left--;
    if (deadline.hasPassed()) break;
    await deadline.yieldTurn();
  }
  return left === 0;
}
