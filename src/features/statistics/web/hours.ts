/** The last hour of the access log beside the hour before, kept up to date. */
import { get } from '../../../web/lib/api.ts';
import type { Bucket, LogStats } from '../../../web/lib/types.ts';
import { type Loaded, useEvery, useLoad } from '../../../web/lib/use-load.ts';
import { type Filters, filterQuery, NO_FILTERS } from '../../../web/logs/filter/filters.ts';
import type { Range } from '../../../web/logs/filter/time-range.tsx';

/** Of one hour; latencies in milliseconds, null without requests. */
export type Figures = Range & {
  requests: number;
  /** With a status of 5xx; a 4xx is the visitor’s mistake. */
  errors: number;
  p50: number | null;
  p95: number | null;
};

export type Hours = { last: Figures; before: Figures };

export const HOUR_MS = 3_600_000;

/** Until the end of the last whole second, so that the numbers of a range stay what they are. */
export function rangeUntil(now: Date, milliseconds: number): Range {
  const to = Math.floor(now.getTime() / 1000) * 1000;
  return { from: new Date(to - milliseconds).toISOString(), to: new Date(to).toISOString() };
}

/** The API's path for numbers over time. @param buckets how many columns a plot of them has */
export function statsRequest(filters: Filters, buckets: number): string {
  const query = filterQuery(filters);
  query.set('buckets', String(buckets));
  return `/logs/stats?${query}`;
}

/** The API’s path for two hours in one answer. @param domain empty for all */
export const hoursRequest = (now: Date, domain: string): string =>
  statsRequest({ ...NO_FILTERS, domain, ...rangeUntil(now, 2 * HOUR_MS) }, 2);

/** Undefined unless the statistics have two buckets. */
export function hoursOf({ buckets: [before, last] }: Pick<LogStats, 'buckets'>): Hours | undefined {
  return before && last ? { last: figuresOf(last), before: figuresOf(before) } : undefined;
}

const figuresOf = ({ from, to, requests, p50, p95 }: Bucket): Figures => ({
  from,
  to,
  requests: requestsIn({ requests }),
  errors: requests['5xx'],
  p50,
  p95,
});

/** All requests of a bucket. */
export const requestsIn = ({ requests }: Pick<Bucket, 'requests'>): number =>
  Object.values(requests).reduce((sum, value) => sum + value, 0);

/** How a number changed, as `+9 %`; empty if there is nothing to compare it with. */
export function changeOf(now: number | null, before: number | null): string {
  if (now === null || !before || now === before) return '';
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return '';
  return percent > 0 ? `+${percent.toLocaleString('en')} %` : `−${-percent} %`;
}

type AllFigures = { hours: Hours | undefined; plot: LogStats };

/** Empty `domain` for all; the plot covers the last `milliseconds` in so many `buckets`. */
type Wanted = { domain: string; milliseconds: number; buckets: number };

/** How often what is about now is loaded again. */
export const EVERY_MS = 30_000;

/** The figures of the last two hours and those of a plot, kept up to date. */
export function useFigures({ domain, milliseconds, buckets }: Wanted): Loaded<AllFigures> {
  const figures = useLoad(domain, async (signal) => {
    const now = new Date();
    const plotted = { ...NO_FILTERS, domain, ...rangeUntil(now, milliseconds) };
    const [hours, plot] = await Promise.all([
      get<LogStats>(hoursRequest(now, domain), signal),
      get<LogStats>(statsRequest(plotted, buckets), signal),
    ]);
    return { hours: hoursOf(hours), plot };
  });
  useEvery(EVERY_MS, figures.reload);
  return figures;
}
