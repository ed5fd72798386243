/** The cells with a site's figures: its certificate, and its requests and latency of the last hour. */
import { duration, localTime, plural } from '../lib/format.ts';
import type { Row } from './rows.ts';
import { Sparkline } from './sparkline.tsx';

const CELL = { role: 'cell' } as const;

export function SiteFigures({ row, layout }: { row: Row; layout: 'columns' | 'stacked' }) {
  const certificate = <Certificate of={row.certificate} />;
  const latency = row.p95 === null ? null : duration(row.p95);
  if (layout === 'stacked') {
    return (
      <td {...CELL} class="site-figures">
        <Sparkline row={row} />
        {latency && <span>p95 {latency}</span>}
        {row.certificate && <span>certificate {certificate}</span>}
      </td>
    );
  }
  return (
    <>
      <td {...CELL} class="site-certificate">
        {certificate}
      </td>
      <td {...CELL} class="site-requests">
        <Sparkline row={row} />
      </td>
      <td {...CELL} class="site-latency">
        {latency ?? <Nothing words="no requests" />}
      </td>
    </>
  );
}

function Certificate({ of }: { of: Row['certificate'] }) {
  if (!of) return <Nothing words="none" />;
  const { daysLeft, issuer, notAfter } = of;
  return (
    <span
      class={daysLeft < 0 ? 'site-bad' : undefined}
      title={`By ${issuer}, until ${localTime(notAfter)}`}
    >
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
