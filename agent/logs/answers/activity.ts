/** Requests over time for each domain. */
import type { Deadline } from '../../../src/shared/async.ts';
import type { ActivityQuery, LogActivity } from '../../../src/shared/wire/logs.ts';
import { blocksBetween } from '../index/block.ts';
import { hasAll, type IndexedSegment, type Snapshot } from '../index/log-index.ts';
import { LATENCY_STEPS, latenciesOf, SWITCHING_PROTOCOLS } from '../line/latency.ts';
import { addBlocks } from './add-blocks.ts';
import type { BlockDecoder } from './block-decoder.ts';
import { classOf, createBuckets } from './buckets.ts';
import { parseConditions } from './filter.ts';
import { rangeOf } from './stats.ts';

/** Times are in milliseconds since 1970; the range is [from, to), by default that of all entries. */
export type ActivityFilter = { from?: number; to?: number; buckets: number };

type Counts = Omit<LogActivity['domains'][string], 'latencies'> & { steps: Uint32Array };

type PairAdder = (bucket: number, count: number, steps: Uint8Array, first: number) => void;

const DEFAULT_BUCKETS = 12;
// A segment tells 16,384 domains apart; the other segments seldom have many more.
const MAX_DOMAINS = 20_000;

/** Reads the parameters of a URL that match the schema. */
export function parseActivityQuery({ buckets, ...range }: ActivityQuery): ActivityFilter {
  return { ...parseConditions(range), buckets: Number(buckets || DEFAULT_BUCKETS) };
}

/**
 * The requests of each domain in a range, `partial` if the deadline passes.
 * @throws SegmentGone
 */
export async function readActivity(
  snapshot: Snapshot,
  filter: ActivityFilter,
  tools: { decoder: BlockDecoder; deadline: Deadline },
): Promise<LogActivity> {
  const { segments } = snapshot;
  const { from, to, shown } = rangeOf(segments, filter);
  const buckets = createBuckets(from, to, filter.buckets);
  const { length } = buckets;
  const domains = new Map<string, Counts>();
  let complete = hasAll(snapshot, filter.from);

  function countsOf(domain: string): Counts | undefined {
    const known = domains.get(domain);
    if (known) return known;
    if (domains.size === MAX_DOMAINS) {
      complete = false;
      return undefined;
    }
    const zeros = () => new Array<number>(length).fill(0);
    const steps = new Uint32Array(LATENCY_STEPS);
    const counts = { requests: zeros(), status4xx: zeros(), status5xx: zeros(), steps };
    domains.set(domain, counts);
    return counts;
  }

  // Makes a function that adds requests of a pair of one segment.
  function adderOf({ index: { pairs } }: IndexedSegment) {
    const adders: (PairAdder | undefined)[] = [];
    return (pair: number, ...requests: Parameters<PairAdder>): void => {
      adders[pair] ??= pairAdder(pairs.describe(pair));
      adders[pair]?.(...requests);
    };
  }

  function pairAdder(of: { domain: string | undefined; status: number }): PairAdder {
    const { domain, status } = of;
    const counts = domain === undefined ? undefined : countsOf(domain);
    if (!counts) return () => {};
    const errors = [counts.status4xx, counts.status5xx][classOf(status) - 4];
    return (bucket, count, steps, first) => {
      counts.requests[bucket] = (counts.requests[bucket] as number) + count;
      if (errors) errors[bucket] = (errors[bucket] as number) + count;
      if (status === SWITCHING_PROTOCOLS) return;
      for (let i = first; i < first + count; i++) {
        const step = steps[i] as number;
        counts.steps[step] = (counts.steps[step] as number) + 1;
      }
    };
  }

  for (const indexed of segments) {
    const add = adderOf(indexed);
    const view = indexed.index.view({ visitors: true });
    const segment = { indexed, view, blocks: blocksBetween(view.blocks(), from, to) };
    if (!(await addBlocks(segment, buckets, tools, add))) complete = false;
  }
  return {
    ...shown,
    buckets: length,
    domains: Object.fromEntries([...domains].map(([domain, counts]) => [domain, figures(counts)])),
    since: rangeOf(segments, {}).shown.from,
    ...(!complete && { partial: true as const }),
  };
}

const figures = ({ steps, ...counts }: Counts): LogActivity['domains'][string] => ({
  ...counts,
  latencies: latenciesOf(steps),
});
