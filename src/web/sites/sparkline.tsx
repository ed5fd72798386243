/** A small bar chart of a site's requests and errors in the last hour. */
import { count, plural } from '../lib/format.ts';
import type { Activity } from '../lib/types.ts';
import { barsPath, HEIGHT, WIDTH } from './spark-bars.ts';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function Sparkline({ activity }: { activity: Activity | undefined }) {
  const requests = activity ? sum(activity.requests) : 0;
  // A 4xx is the visitor's mistake, not the site's.
  const errors = activity ? sum(activity.status5xx) : 0;
  const rejected = activity ? sum(activity.status4xx) : 0;
  const highest = activity ? Math.max(1, ...activity.requests) : 1;
  const words = `${plural(requests, 'request')}, ${plural(errors, 'error')} (5xx), ${count(rejected)} rejected (4xx) in the last hour`;
  return (
    <span class="spark">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <title>{words}</title>
        {activity && <path class="spark-requests" d={barsPath(activity.requests, highest)} />}
        {activity && <path class="spark-errors" d={barsPath(activity.status5xx, highest)} />}
      </svg>
      <span class="spark-count" aria-hidden="true">
        {requests > 0 ? count(requests) : ''}
        {errors > 0 && <span class="spark-error-count"> {count(errors)}!</span>}
      </span>
    </span>
  );
}
