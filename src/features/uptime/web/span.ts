/** How a site answered its check in some hours, in numbers and in words. Pure. */
import { count, duration, localTime, plural } from '../../../web/lib/format.ts';
import type { VhostUptime } from '../routes.ts';

type Bucket = VhostUptime['buckets'][number];

/** What is known of some hours: shares from 0 to 1 by bar, oldest first; null: not known. */
export type Span = {
  bars: (number | null)[];
  /** Of each bar, for people. */
  titles: string[];
  share: number | null;
  asked: number;
  /** Milliseconds: the middle of the hours' medians, and the worst of their 95th percentiles. */
  p50: number | null;
  p95: number | null;
};

const HOUR_MS = 3_600_000;

/** @param hours of a bar @param count of bars; the last one is not over */
export function spanOf(
  { buckets }: Pick<VhostUptime, 'buckets'>,
  { hours, count, now }: { hours: number; count: number; now: Date },
): Span {
  const current = Math.floor(now.getTime() / HOUR_MS);
  const partOf = ({ from }: Bucket) =>
    count - 1 - Math.floor((current - Date.parse(from) / HOUR_MS) / hours);
  const parts = Map.groupBy(buckets, partOf);
  const inside = buckets.filter((one) => partOf(one) >= 0);
  const at = (part: number) =>
    localTime(new Date((current - (count - 1 - part) * hours - hours + 1) * HOUR_MS).toISOString());
  const bars = Array.from({ length: count }, (_, part) => parts.get(part) ?? []);
  return {
    bars: bars.map(shareOf),
    titles: bars.map((all, part) => {
      const when = hours === 1 ? at(part).slice(11, 16) : `24 hours from ${at(part).slice(5, 16)}`;
      return `${when}: ${wordsOf(all)}`;
    }),
    share: shareOf(inside),
    asked: sumOf(inside).asked,
    p50: middle(inside.flatMap(({ p50 }) => p50 ?? [])),
    p95: inside.reduce<number | null>((most, { p95 }) => larger(most, p95), null),
  };
}

const sumOf = (all: readonly Bucket[]) => ({
  asked: all.reduce((sum, one) => sum + one.asked, 0),
  failed: all.reduce((sum, one) => sum + one.failed, 0),
});

function shareOf(all: readonly Bucket[]): number | null {
  const { asked, failed } = sumOf(all);
  return asked === 0 ? null : (asked - failed) / asked;
}

function wordsOf(all: readonly Bucket[]): string {
  const { asked, failed } = sumOf(all);
  if (asked === 0) return 'not known';
  return failed === 0 ? `all ${count(asked)} right` : `${count(failed)} of ${count(asked)} wrong`;
}

const middle = (values: readonly number[]): number | null =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;

const larger = (a: number | null, b: number | null) =>
  a === null ? b : b === null ? a : Math.max(a, b);

/** Of what went right in a bar; undefined: not known. One wrong answer must be visible among many right ones. */
export function heightOf(share: number | null): string | undefined {
  if (share === null) return undefined;
  return share === 1 ? '100%' : `${Math.min(75, share * 100)}%`;
}

/** `100 %`, `99.93 %`; never rounded up to all of them. */
export function percentOf(share: number | null): string {
  if (share === null) return '–';
  return share === 1 ? '100 %' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

/** For whom the bars are not drawn. */
export function summaryOf({ bars, titles, share, asked, p50, p95 }: Span): string {
  if (share === null) return 'not known';
  const wrong = titles.filter((_, at) => (bars[at] ?? 1) < 1);
  const times =
    p50 === null || p95 === null ? '' : `, median ${duration(p50)}, p95 up to ${duration(p95)}`;
  const where = wrong.length === 0 ? '' : `. ${wrong.join('; ')}`;
  return `${percentOf(share)} of ${plural(asked, 'answer')} right${times}${where}`;
}
