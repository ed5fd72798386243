/** Converts statistics to what the plot draws: stacked columns. Pure. */
import { count } from '../../../../web/lib/format.ts';
import type { Entry, LogStats, StatusClass } from '../../../../web/lib/types.ts';
import { CLASSES } from '../../../../web/logs/values.tsx';

/** From bottom to top, so that errors are on top, where they stand out. */
export const STACK: readonly StatusClass[] = ['2xx', '3xx', '1xx', 'other', '4xx', '5xx'];

export type PlotData = {
  /** Seconds since 1970. */
  from: number;
  to: number;
  /** The middle of each bucket. */
  times: number[];
  /** For each class of STACK, its requests plus those of all classes below it. */
  stacked: number[][];
  /** Milliseconds. */
  p50: (number | null)[];
  p95: (number | null)[];
};

const seconds = (iso: string): number => Date.parse(iso) / 1000;

/** Undefined if there is nothing to draw. */
export function plotData({ from, to, buckets }: LogStats): PlotData | undefined {
  if (from === null || to === null || buckets.length === 0) return undefined;
  const sums = buckets.map(() => 0);
  return {
    from: seconds(from),
    to: Math.max(seconds(to), seconds(from) + 0.001),
    times: buckets.map((bucket) => (seconds(bucket.from) + seconds(bucket.to)) / 2),
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

/** A number of requests; `≈ 40` if it is an estimate. */
export const amount = (requests: number, { sampled }: Pick<LogStats, 'sampled'>): string =>
  `${sampled ? '≈\u00a0' : ''}${count(requests)}`;

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

const DAY = 86_400;

/**
 * The time of day, plus the date at the start of each day; only dates if a step is a day or more.
 * @param times seconds since 1970
 * @param step seconds between them
 */
export function tickNames(times: readonly number[], step: number): string[] {
  const two = (value: number) => String(value).padStart(2, '0');
  let before = '';
  return times.map((time) => {
    const at = new Date(time * 1000);
    const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    const date = day === before ? '' : day;
    before = day;
    if (step >= 300 * DAY) return String(at.getFullYear());
    if (step >= DAY) return day;
    const minute = `${two(at.getHours())}:${two(at.getMinutes())}`;
    const clock = step >= 60 ? minute : `${minute}:${two(at.getSeconds())}`;
    // Within a second, milliseconds matter and the date does not.
    if (step < 1) return `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`;
    return date === '' ? clock : `${clock}\n${date}`;
  });
}
