/** The legend of the plot, with the numbers at the cursor or, without a cursor, the totals. */
import { count, duration, localTime } from '../lib/format.ts';
import type { LogStats } from '../lib/types.ts';
import { STACK, totals } from './plot-data.ts';
import { CLASS_WORDS } from './status-class.ts';

export function Legend({ stats, at }: { stats: LogStats | undefined; at: number | null }) {
  const bucket = at === null ? undefined : stats?.buckets[at];
  const requests = bucket?.requests ?? (stats ? totals(stats) : undefined);
  const latency = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : duration(value);
  // Rare classes are shown only if they occur.
  const sums = stats ? totals(stats) : undefined;
  const names = STACK.filter(
    (name) => !(name === '1xx' || name === 'other') || (sums && sums[name] > 0),
  );
  return (
    <div class="log-legend">
      <span class="log-legend-time">{bucket ? localTime(bucket.from) : 'Total'}</span>
      {names.map((name) => (
        <span key={name} class="log-legend-item">
          <span class={`swatch swatch-${name}`} aria-hidden="true" />
          <span title={CLASS_WORDS[name]}>{name}</span>{' '}
          <b>{requests ? count(requests[name]) : '–'}</b>
        </span>
      ))}
      {(['p50', 'p95'] as const).map((name) => (
        <span key={name} class="log-legend-item log-legend-latency">
          <span class={`swatch swatch-${name}`} aria-hidden="true" />
          {name} <b>{bucket && latency(bucket[name])}</b>
        </span>
      ))}
    </div>
  );
}
