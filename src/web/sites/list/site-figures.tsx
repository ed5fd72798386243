/** The cells with a site's figures: its certificate, and its requests and latency of the last hour. */

import { count, duration, localTime, plural } from '../../lib/format.ts';
import { barsPath, BARS_HEIGHT as HEIGHT, BARS_WIDTH as WIDTH } from '../../parts/bars.ts';
import { percentOf, ShareBars } from '../../parts/share-bars.tsx';
import type { Row } from './rows.ts';

const CELL = { role: 'cell' } as const;

export function SiteFigures({ row, layout }: { row: Row; layout: 'columns' | 'stacked' }) {
  const latency = row.p95 === null ? null : duration(row.p95);
  if (layout === 'stacked') {
    return (
      <td {...CELL} class="site-figures line cut tiny numeric muted">
        <Sparkline row={row} />
        {latency && <span>p95 {latency}</span>}
        <Uptime of={row.uptime} />
      </td>
    );
  }
  return (
    <>
      <td {...CELL} class="small numeric">
        <Certificate of={row.certificate} />
      </td>
      <td {...CELL}>
        <Sparkline row={row} />
      </td>
      <td {...CELL} class="small numeric">
        {latency ?? <Nothing words="no requests" />}
      </td>
      <td {...CELL}>{row.uptime ? <Uptime of={row.uptime} /> : <Nothing words="no check" />}</td>
    </>
  );
}

/** The last 24 hours, and below them the last 30 days. */
function Uptime({ of }: { of: Row['uptime'] }) {
  if (!of) return null;
  const { day, month } = of;
  const words = `Right answers to the check: ${percentOf(day.share)} in 24 hours, ${percentOf(month.share)} in 30 days`;
  return (
    <span class="uptime-pair" role="img" aria-label={words} title={words}>
      <ShareBars bars={day.bars} />
      <ShareBars bars={month.bars} />
    </span>
  );
}

function Certificate({ of }: { of: Row['certificate'] }) {
  if (!of) return <Nothing words="none" />;
  const { daysLeft, issuer, notAfter, overdue, isOwn } = of;
  if (isOwn) {
    return (
      <span class="muted" title="Caddy’s own authority signs it, and Caddy renews it">
        own CA
      </span>
    );
  }
  return (
    <span class={overdue ? 'bad' : undefined} title={`By ${issuer}, until ${localTime(notAfter)}`}>
      {daysLeft < 0 ? 'expired' : daysLeft === 0 ? '< 1 day' : plural(daysLeft, 'day')}
    </span>
  );
}

const Nothing = ({ words }: { words: string }) => (
  <span class="muted">
    <span aria-hidden="true">–</span>
    <span class="visually-hidden">{words}</span>
  </span>
);

type Props = { row: Pick<Row, 'activity' | 'requests' | 'errors' | 'rejected'> };

/** A small bar chart of a site's requests and errors in the last hour. */
function Sparkline({ row: { activity, requests, errors, rejected } }: Props) {
  const highest = activity ? Math.max(1, ...activity.requests) : 1;
  const words = `${plural(requests, 'request')}, ${plural(errors, 'error')} (5xx), ${count(rejected)} rejected (4xx) in the last hour`;
  return (
    <span class="spark line" title={words}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        {activity && <path class="spark-requests" d={barsPath(activity.requests, highest)} />}
        {activity && <path class="spark-errors" d={barsPath(activity.status5xx, highest)} />}
      </svg>
      <span class="tiny muted numeric" aria-hidden="true">
        {requests > 0 ? count(requests) : ''}
        {errors > 0 && <span class="bad"> {count(errors)}!</span>}
      </span>
    </span>
  );
}
