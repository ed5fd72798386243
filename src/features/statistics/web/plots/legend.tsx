/** The legend of the plot, with the numbers of a column or, without one, the totals. */
import { localTime } from '../../../../web/lib/format.ts';
import type { LogStats } from '../../../../web/lib/types.ts';
import { CLASS_WORDS } from '../../../../web/logs/values.tsx';
import { fillOf } from './patterns.tsx';
import { amount, LATENCIES, latency, STACK, totals } from './plot-data.ts';

/** @param column null for the totals */
export function Legend({ stats, column }: { stats: LogStats | undefined; column: number | null }) {
  const bucket = column === null ? undefined : stats?.buckets[column];
  const sums = stats && totals(stats);
  const requests = bucket?.requests ?? sums;
  // Rare classes are shown only if they occur.
  const names = STACK.filter((name) => (name !== '1xx' && name !== 'other') || sums?.[name]);
  return (
    <div class="log-legend row tiny numeric">
      <span class="log-legend-time muted">{bucket ? localTime(bucket.from) : 'Total'}</span>
      {names.map((name) => (
        <span key={name} class="nowrap">
          <svg class="swatch" aria-hidden="true">
            <rect width="100%" height="100%" fill={fillOf(name)} />
          </svg>
          <span title={CLASS_WORDS[name]}>{name}</span>{' '}
          <b>{bucket?.unread ? '?' : stats && requests ? amount(requests[name], stats) : '–'}</b>
        </span>
      ))}
      {LATENCIES.map(({ name, words }) => (
        <span key={name} class="log-legend-latency nowrap">
          <svg class="swatch" aria-hidden="true">
            <path class={`plot-${name}`} d="M0 7h20" />
          </svg>
          {words} {bucket && <b>{latency(bucket[name])}</b>}
        </span>
      ))}
    </div>
  );
}
