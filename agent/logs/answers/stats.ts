import type { LogStats, StatsQuery } from '../../../src/shared/wire.ts';
import type { Classifier } from '../index/classifier.ts';
import type { Patience } from '../index/deadline.ts';
import { hostKey } from '../index/host.ts';
import { latencyStep } from '../index/latency.ts';
import type { Indexed } from '../index/log-index.ts';
import type { Found, IndexView } from '../index/segment-index.ts';
import type { Decoded, Decoder } from './block-decoder.ts';
import type { Reader } from './block-reader.ts';
import { type Buckets, classOf, createBuckets } from './buckets.ts';
import { parseConditions } from './filter.ts';
import type { Latest } from './latest.ts';
import type { Segments } from './page.ts';
import { createTop } from './top-counter.ts';

/** Times in milliseconds since 1970; the range is [from, to), or all there is. */
export type StatsFilter = { domain?: string; from?: number; to?: number; buckets: number };

export type StatsTools = {
  reader: Reader;
  decoder: Decoder;
  latest: Latest;
  classifier: Classifier;
  patience: Patience;
};

const DEFAULT_BUCKETS = 60;
const TOP = 10;
// Blocks between two looks at the clock.
const STRETCH = 64;

/** Reads the parameters of a URL, which already match the schema. */
export function parseStatsQuery({ buckets, ...query }: StatsQuery): StatsFilter {
  return { ...parseConditions(query), buckets: Number(buckets || DEFAULT_BUCKETS) };
}

/** What is counted of one segment, by pair. */
type Counting = { indexed: Indexed; view: IndexView; classes: Uint8Array; requests: Float64Array };

/**
 * The numbers of a range. A block within one bucket is added up from the index; one that lies
 * across an edge is read entry by entry, so that every count is exact. Throws as the reader.
 */
export async function readStats(
  { segments, complete: isAll }: Segments,
  filter: StatsFilter,
  tools: StatsTools,
): Promise<LogStats> {
  const range = rangeOf(segments, filter);
  const { from, to } = range ?? { from: 0, to: 0 };
  const key = filter.domain === undefined ? undefined : hostKey(filter.domain);
  const buckets = createBuckets(from, to, filter.buckets);
  const domains = createTop<string>();
  const statuses = createTop<number>();
  const parts: { indexed: Indexed; view: IndexView; blocks: Found[] }[] = [];
  let complete = isAll;
  let requests = 0;

  for (const indexed of segments) {
    const counting = begin(indexed, key);
    const blocks = [...counting.view.blocks()].filter(
      ({ earliest, latest }) => latest >= from && earliest < to,
    );
    parts.push({ indexed, view: counting.view, blocks });
    const across = await addBlocks(counting, blocks, buckets, tools.patience);
    if (!(await addEntries(counting, across, buckets, key, tools))) complete = false;
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
    domains: domains.first(TOP).map(([domain, count]) => ({ domain, requests: count })),
    statuses: statuses.first(TOP).map(([status, count]) => ({ status, requests: count })),
    latest: await tools.latest.read(parts, { key, from, to }, tools.patience),
    ...(!complete && { partial: true as const }),
  };
}

/** The range that is meant, undefined where it is that of all entries and there is none. */
export function rangeOf(
  segments: readonly Indexed[],
  { from, to }: Pick<StatsFilter, 'from' | 'to'>,
): { from: number; to: number } | undefined {
  const earliest = Math.min(...segments.map(({ index }) => index.earliest));
  const latest = Math.max(...segments.map(({ index }) => index.latest));
  const first = from ?? earliest;
  const end = to ?? latest + 1;
  if (!Number.isFinite(first) || !Number.isFinite(end)) return undefined;
  return { from: first, to: Math.max(first, end) };
}

function begin(indexed: Indexed, key: string | undefined): Counting {
  const { pairs } = indexed.index;
  const { length } = pairs;
  const classes = Uint8Array.from({ length }, (_, pair) => classOf(pairs.describe(pair).status));
  const requests = new Float64Array(length);
  return { indexed, view: indexed.index.view(key), classes, requests };
}

/** Adds the blocks that lie within one bucket; returns the others. */
async function addBlocks(
  { indexed, view, classes, requests }: Counting,
  blocks: readonly Found[],
  buckets: Buckets,
  patience: Patience,
): Promise<Found[]> {
  const { wanted, certain } = view.selection;
  const across: Found[] = [];
  for (const [i, block] of blocks.entries()) {
    const bucket = buckets.at(block.earliest);
    const isWithin = bucket >= 0 && buckets.at(block.latest) === bucket && block.timeless === 0;
    if (!certain || block.number < 0 || !isWithin) {
      across.push(block);
      continue;
    }
    indexed.index.rows(block.number, (pair, count, steps, first) => {
      if (wanted[pair] !== 1) return;
      requests[pair] = (requests[pair] as number) + count;
      buckets.add(bucket, classes[pair] as number, count);
      buckets.addSteps(bucket, steps, first, first + count);
    });
    if (i % STRETCH === 0) await patience.breathe();
  }
  return across;
}

/** Adds the entries of blocks one by one; false where patience ran out. */
async function addEntries(
  { indexed, view, classes, requests }: Counting,
  blocks: readonly Found[],
  buckets: Buckets,
  key: string | undefined,
  { reader, decoder, classifier, patience }: StatsTools,
): Promise<boolean> {
  const { wanted, certain } = view.selection;
  let left = blocks.length;

  function add({ times, pairs, steps }: Omit<Decoded, 'end'>): void {
    for (let i = 0; i < pairs.length; i++) {
      const pair = pairs[i] as number;
      const bucket = wanted[pair] === 1 ? buckets.at(times[i] as number) : -1;
      if (bucket < 0) continue;
      requests[pair] = (requests[pair] as number) + 1;
      buckets.add(bucket, classes[pair] as number, 1);
      buckets.addSteps(bucket, steps, i, i + 1);
    }
  }

  if (certain) {
    for await (const { decoded } of decoder.decode(indexed, blocks, patience)) {
      add(decoded);
      left--;
    }
    return left === 0;
  }
  // The index has no number for the domain: only the lines tell whose they are.
  const visit = (pair: number) => {
    if (wanted[pair] !== 1 || classifier.facts()?.key !== key) return;
    add({
      times: Float64Array.of(classifier.time),
      pairs: Uint32Array.of(pair),
      steps: Uint8Array.of(latencyStep(classifier.latency)),
    });
  };
  for await (const _ of reader.walk(indexed, blocks, visit)) {
    left--;
    if (patience.isOver()) break;
    await patience.breathe();
  }
  return left === 0;
}
