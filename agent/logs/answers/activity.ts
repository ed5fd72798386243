import type { ActivityQuery, LogActivity } from '../../../src/shared/wire.ts';
import type { Patience } from '../index/deadline.ts';
import type { Indexed } from '../index/log-index.ts';
import type { Found } from '../index/segment-index.ts';
import type { Decoder } from './block-decoder.ts';
import { classOf, createBuckets } from './buckets.ts';
import { parseConditions } from './filter.ts';
import type { Segments } from './page.ts';
import { rangeOf } from './stats.ts';

/** Times in milliseconds since 1970; the range is [from, to), or all there is. */
export type ActivityFilter = { from?: number; to?: number; buckets: number };

type Counts = LogActivity['domains'][string];

const DEFAULT_BUCKETS = 12;
// A segment tells 16,384 domains apart; further segments seldom have others.
const MOST_DOMAINS = 20_000;
// Blocks between two looks at the clock.
const STRETCH = 64;

/** Reads the parameters of a URL, which already match the schema. */
export function parseActivityQuery({ buckets, ...range }: ActivityQuery): ActivityFilter {
  return { ...parseConditions(range), buckets: Number(buckets || DEFAULT_BUCKETS) };
}

/**
 * The requests of each domain over time. As with the stats, a block within one bucket is added up
 * from the index and one across an edge is read entry by entry, so that every count is exact.
 */
export async function readActivity(
  { segments, complete: isAll }: Segments,
  filter: ActivityFilter,
  { decoder, patience }: { decoder: Decoder; patience: Patience },
): Promise<LogActivity> {
  const range = rangeOf(segments, filter);
  const { from, to } = range ?? { from: 0, to: 0 };
  const buckets = createBuckets(from, to, filter.buckets);
  const length = Math.max(0, Math.min(filter.buckets, to - from));
  const domains = new Map<string, Counts>();
  let complete = isAll;

  function countsOf(domain: string): Counts | undefined {
    const known = domains.get(domain);
    if (known) return known;
    if (domains.size === MOST_DOMAINS) {
      complete = false;
      return undefined;
    }
    const zeros = () => new Array<number>(length).fill(0);
    const counts = { requests: zeros(), status4xx: zeros(), status5xx: zeros() };
    domains.set(domain, counts);
    return counts;
  }

  /** Adds requests of a pair of one segment. */
  function adderOf({ index: { pairs } }: Indexed) {
    const known: (((bucket: number, count: number) => void) | undefined)[] = [];
    return (pair: number, bucket: number, count: number): void => {
      known[pair] ??= adder(pairs.describe(pair));
      known[pair]?.(bucket, count);
    };
  }

  function adder({ domain, status }: { domain: string | undefined; status: number }) {
    const counts = domain === undefined ? undefined : countsOf(domain);
    if (!counts) return () => {};
    const errors = [counts.status4xx, counts.status5xx][classOf(status) - 4];
    return (bucket: number, count: number) => {
      counts.requests[bucket] = (counts.requests[bucket] as number) + count;
      if (errors) errors[bucket] = (errors[bucket] as number) + count;
    };
  }

  for (const indexed of segments) {
    const add = adderOf(indexed);
    const across: Found[] = [];
    let seen = 0;
    for (const block of indexed.index.view(undefined).blocks()) {
      if (block.latest < from || block.earliest >= to) continue;
      const bucket = buckets.at(block.earliest);
      const isWithin = bucket >= 0 && buckets.at(block.latest) === bucket && block.timeless === 0;
      if (block.number < 0 || !isWithin) across.push(block);
      else indexed.index.rows(block.number, (pair, count) => add(pair, bucket, count));
      if (++seen % STRETCH === 0) await patience.breathe();
    }
    let left = across.length;
    for await (const { decoded } of decoder.decode(indexed, across, patience)) {
      left--;
      for (const [i, pair] of decoded.pairs.entries()) {
        const bucket = buckets.at(decoded.times[i] as number);
        if (bucket >= 0) add(pair, bucket, 1);
      }
    }
    if (left > 0) complete = false;
  }
  const iso = (time: number) => (range ? new Date(time).toISOString() : null);
  return {
    from: iso(from),
    to: iso(to),
    buckets: length,
    domains: Object.fromEntries(domains),
    ...(!complete && { partial: true as const }),
  };
}
