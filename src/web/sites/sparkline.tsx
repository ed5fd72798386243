/** Requests and errors of the last hour, in the space of a word. */
import { count, plural } from '../lib/format.ts';

/** Both of the same length, oldest first. */
export type Activity = { requests: readonly number[]; errors: readonly number[] };

const WIDTH = 96;
const HEIGHT = 24;

/** Bars in one path, so that two thousand of them stay light. */
export function barsPath(values: readonly number[], highest: number): string {
  const step = WIDTH / Math.max(1, values.length);
  return values
    .map((value, at) => {
      if (value === 0 || highest === 0) return '';
      // A single request must be seen beside a thousand.
      const height = Math.max(1.5, (value / highest) * HEIGHT);
      const x = (at * step).toFixed(1);
      return `M${x} ${HEIGHT}v-${height.toFixed(1)}h${(step * 0.8).toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function Sparkline({ activity }: { activity: Activity | undefined }) {
  const requests = activity ? sum(activity.requests) : 0;
  const errors = activity ? sum(activity.errors) : 0;
  const highest = activity ? Math.max(1, ...activity.requests) : 1;
  const words = `${plural(requests, 'request')}, ${plural(errors, 'error')} in the last hour`;
  return (
    <span class="spark">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <title>{words}</title>
        {activity && <path class="spark-requests" d={barsPath(activity.requests, highest)} />}
        {activity && <path class="spark-errors" d={barsPath(activity.errors, highest)} />}
      </svg>
      <span class="spark-count" aria-hidden="true">
        {requests > 0 ? count(requests) : ''}
        {errors > 0 && <span class="spark-error-count"> {count(errors)}!</span>}
      </span>
    </span>
  );
}
