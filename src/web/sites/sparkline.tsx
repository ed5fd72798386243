/** A small bar chart of a site's requests and errors in the last hour. */
import { count, plural } from '../lib/format.ts';
import type { Row } from './rows.ts';
import { barsPath, HEIGHT, WIDTH } from './spark-bars.ts';

type Props = { row: Pick<Row, 'activity' | 'requests' | 'errors' | 'rejected'> };

export function Sparkline({ row: { activity, requests, errors, rejected } }: Props) {
  const highest = activity ? Math.max(1, ...activity.requests) : 1;
  const words = `${plural(requests, 'request')}, ${plural(errors, 'error')} (5xx), ${count(rejected)} rejected (4xx) in the last hour`;
  return (
    <span class="spark" title={words}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
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
