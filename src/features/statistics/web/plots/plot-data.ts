/** Converts statistics to what the plot draws: stacked columns. Pure. */
import { clockTime, count, duration, plural } from '../../../../web/lib/format.ts';
import type { Bucket, Entry, LogStats, StatusClass } from '../../../../web/lib/types.ts';
import { CLASSES } from '../../../../web/logs/values.tsx';
import { requestsIn } from '../hours.ts';

/** From bottom to top, so that errors are on top, where they stand out. */
export const STACK: readonly StatusClass[] = ['2xx', '3xx', '1xx', 'other', '4xx', '5xx'];

/** The lines of the plot, with their words in the legend. */
export const LATENCIES = [
  { name: 'p50', words: 'median latency' },
  { name: 'p95', words: 'p95: 95 % are faster' },
] as const;

export type PlotData = NonNullable<ReturnType<typeof plotData>>;

const seconds = (iso: string): number => Date.parse(iso) / 1000;

/** Times in seconds since 1970, latencies in milliseconds; undefined if there is nothing to draw. */
export function plotData({ from, to, buckets }: LogStats) {
  if (from === null || to === null || buckets.length === 0) return undefined;
  const sums = buckets.map(() => 0);
  return {
    from: seconds(from),
    to: Math.max(seconds(to), seconds(from) + 0.001),
    /** The middle of each bucket. */
    times: buckets.map((bucket) => (seconds(bucket.from) + seconds(bucket.to)) / 2),
    /** For each class of STACK, its requests plus those of all classes below it. */
    stacked: STACK.map((name) =>
      buckets.map((bucket, at) => {
        const sum = (sums[at] ?? 0) + bucket.requests[name];
        sums[at] = sum;
        return sum;
      }),
    ),
    p50: buckets.map((bucket) => bucket.p50),
    p95: buckets.map((bucket) => bucket.p95),
  };
}

type Sampled = Pick<LogStats, 'sampled'>;

const about = (text: string, { sampled }: Sampled) => `${sampled ? '≈\u00a0' : ''}${text}`;

/** A number of requests; `≈ 40` if it is an estimate. */
export const amount = (requests: number, stats: Sampled): string => about(count(requests), stats);

/** A latency; `–` if there were no requests. */
export const latency = (milliseconds: number | null): string =>
  milliseconds === null ? '–' : duration(milliseconds);

/** What happened in a bucket, as `2026-11-21 10:34, 40 requests, 2 errors (5xx), p95 13 ms`. */
export function bucketWords(bucket: Bucket, stats: Sampled): string {
  const { from, p95, unread } = bucket;
  const errors = bucket.requests['5xx'];
  return [
    clockTime(from),
    unread ? 'unknown' : about(plural(requestsIn(bucket), 'request'), stats),
    ...(errors > 0 ? [`${about(plural(errors, 'error'), stats)} (5xx)`] : []),
    ...(p95 === null ? [] : [`p95 ${duration(p95)}`]),
  ].join(', ');
}

type Totals = Record<StatusClass, number>;

/** The number of requests of each class. */
export function totals({ buckets }: Pick<LogStats, 'buckets'>): Totals {
  const sums = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 };
  for (const { requests } of buckets) for (const name of CLASSES) sums[name] += requests[name];
  return sums;
}

/** Changes that went live at about the same time; `at` is the middle of a bucket, from 0 to 1 of the plot's width. */
export type Mark = { at: number; entries: Entry[] };

/** Oldest first. @param least how far two of them are apart, from 0 to 1; nearer ones are one */
export function marksOf(
  { buckets }: Pick<LogStats, 'buckets'>,
  entries: readonly Entry[],
  least = 0,
): Mark[] {
  const marks: Mark[] = [];
  for (const [number, { from, to }] of buckets.entries()) {
    const own = entries.filter(({ createdAt }) => createdAt >= from && createdAt < to);
    if (own.length === 0) continue;
    const at = (number + 0.5) / buckets.length;
    const last = marks.at(-1);
    if (last && at - last.at < least) last.entries.push(...own);
    else marks.push({ at, entries: own });
  }
  return marks;
}

const UNITS = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `, a bar is 5 min`, of a bucket that is no round number of them `about 7.3 min`; empty without buckets. */
export function barWords({ buckets }: Pick<LogStats, 'buckets'>): string {
  const [first] = buckets;
  if (!first) return '';
  const length = Date.parse(first.to) - Date.parse(first.from);
  const [unit, milliseconds] = UNITS.find(([, one]) => length >= one) ?? ['s', 1000];
  const value = Math.round((length / milliseconds) * 10) / 10;
  if (value < 0.1) return '';
  const about = value * milliseconds === length ? '' : 'about ';
  return `, a bar is ${about}${value} ${unit === 'day' && value !== 1 ? 'days' : unit}`;
}
