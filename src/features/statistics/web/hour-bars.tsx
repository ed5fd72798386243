/** A plot of the last hour: a bar for each minute, leading to its requests, with marks for changes. */
import { count, localTime } from '../../../web/lib/format.ts';
import type { Entry, LogStats } from '../../../web/lib/types.ts';
import { logsOf } from '../../../web/logs/filter/filters.ts';
import { barsPath, BARS_HEIGHT as HEIGHT, BARS_WIDTH as WIDTH } from '../../../web/parts/bars.ts';
import { HOUR_MS, requestsIn } from './hours.ts';
import { PublishMarks } from './plots/marks.tsx';
import { barWords, bucketWords } from './plots/plot-data.ts';

/** The span of the plot, and its bars: one a minute. */
export const SPAN = { milliseconds: HOUR_MS, buckets: 60 } as const;

type Props = { stats: LogStats | undefined; entries: readonly Entry[] };

export function HourBars({ stats, entries }: Props) {
  const buckets = stats?.buckets ?? [];
  const requests = buckets.map(requestsIn);
  const errors = buckets.map((bucket) => bucket.requests['5xx']);
  const highest = Math.max(0, ...requests);
  return (
    <section class="card tight" aria-label="Requests of the last hour">
      <div class="row baseline small numeric">
        <h2>Requests</h2>
        <span class="muted">
          {stats && `${localTime(stats.from ?? '').slice(11, 16)} to `}
          {stats && `${localTime(stats.to ?? '').slice(11, 16)}${barWords(stats)}`}
          {highest > 0 && `, highest ${count(highest)}`}
        </span>
        <span class="row end muted">
          <span>
            <span class="swatch hour-requests" aria-hidden="true" />
            requests
          </span>
          <span>
            <span class="swatch hour-errors" aria-hidden="true" />
            errors (5xx)
          </span>
          <span>
            <span class="hour-mark" aria-hidden="true" />
            changes
          </span>
        </span>
      </div>
      <div class="hour-plot">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="spark-requests" d={barsPath(requests, highest)} />
          <path class="spark-errors" d={barsPath(errors, highest)} />
        </svg>
        {/* For the pointer only: the numbers above lead there too. */}
        <div class="hour-bars over-bars" aria-hidden="true">
          {buckets.map((bucket) => (
            <a
              key={bucket.from}
              tabIndex={-1}
              href={logsOf({ from: bucket.from, to: bucket.to })}
              title={bucketWords(bucket, stats ?? {})}
            >
              <span class="visually-hidden">{bucketWords(bucket, stats ?? {})}</span>
            </a>
          ))}
        </div>
        <PublishMarks stats={stats} entries={entries} />
      </div>
      {stats?.partial && <p class="muted">The numbers are incomplete.</p>}
    </section>
  );
}
