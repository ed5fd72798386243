/** The figures of the last two hours and those of a plot, kept up to date. */
import { get } from '../lib/api.ts';
import type { LogStats } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';
import { NO_FILTERS, statsRequest } from '../logs/filter/filters.ts';
import { type Hours, hoursOf, hoursRequest, rangeUntil } from './hours.ts';

export type AllFigures = { hours: Hours | undefined; plot: LogStats };

/** Empty `domain` for all; the plot covers the last `milliseconds` in so many `buckets`. */
export type Wanted = { domain: string; milliseconds: number; buckets: number };

const EVERY_MS = 30_000;

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
