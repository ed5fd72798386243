/** The bars of all sites with a check: of the last 24 hours, and of the last 30 days. */
import type { SiteSet } from '../../hub/model/vhost.ts';
import type { CheckedHour } from '../../hub/watch/checks.ts';
import { createPauses } from '../../shared/async.ts';
import type { Hours } from './hours.ts';
import { watchedIn } from './rounds.ts';

/** Shares of right answers, from 0 to 1, as a whole and in parts, oldest first; null: not asked. */
type Bars = { share: number | null; bars: (number | null)[] };
export type SiteBars = { id: number; day: Bars; month: Bars };

export const HOURS = 24;
export const DAYS = 30;

type Sum = { asked: number; failed: number };
/** What is stored of the last hours, and of the last times 24 hours. */
type StoredSums = { of: string; day: Sum[]; month: Sum[] };

/**
 * @returns a function that gives those of each site that is asked now. What is stored is read once an hour, and
 * others have turns meanwhile: of a thousand sites that takes half a second.
 */
export function createOverview(
  hours: Pick<Hours, 'stored' | 'fresh' | 'edition' | 'now'>,
): (set: SiteSet) => Promise<SiteBars[]> {
  let known: ReadonlyMap<number, StoredSums> = new Map();

  function read(id: number, of: string): StoredSums {
    const last = known.get(id);
    if (last?.of === of) return last;
    const all = hours.stored(id, DAYS * 24);
    return { of, day: sumsOf(all, HOURS, 1), month: sumsOf(all, DAYS, 24) };
  }

  /** From the latest hours back. */
  function sumsOf(
    all: readonly CheckedHour[],
    count: number,
    length: number,
    before?: readonly Sum[],
  ) {
    const to = hours.now();
    const sums: Sum[] = Array.from({ length: count }, (_, at) => ({
      ...(before?.[at] ?? { asked: 0, failed: 0 }),
    }));
    for (const { hour, asked, failed } of all) {
      const sum = hour <= to ? sums[Math.floor((to - hour) / length)] : undefined;
      if (!sum) continue;
      sum.asked += asked;
      sum.failed += failed;
    }
    return sums;
  }

  return async (set) => {
    const of = `${hours.now()} ${hours.edition()}`;
    const next = new Map<number, StoredSums>();
    const pause = createPauses();
    const found: SiteBars[] = [];
    for (const id of watchedIn(set).keys()) {
      const one = read(id, of);
      next.set(id, one);
      const fresh = hours.fresh(id);
      found.push({
        id,
        day: barsOf(sumsOf(fresh, HOURS, 1, one.day)),
        month: barsOf(sumsOf(fresh, DAYS, 24, one.month)),
      });
      await pause();
    }
    known = next;
    return found;
  };
}

function barsOf(sums: readonly Sum[]): Bars {
  const all = { asked: 0, failed: 0 };
  for (const { asked, failed } of sums) {
    all.asked += asked;
    all.failed += failed;
  }
  return { share: shareOf(all), bars: sums.map((one) => rounded(shareOf(one))).toReversed() };
}

/** Null: nobody asked. */
export const shareOf = ({ asked, failed }: Sum): number | null =>
  asked === 0 ? null : (asked - failed) / asked;

/** To four places, but to 1 only if nothing failed. */
const rounded = (share: number | null): number | null =>
  share === null || share === 1 ? share : Math.min(Math.round(share * 10_000) / 10_000, 0.9999);
