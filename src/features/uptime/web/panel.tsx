/** How a site answered its check in the last 24 hours and 30 days. */
import type { SiteSection } from '../../../web/feature.ts';
import { wordsOfCheck } from '../../../web/lib/check.ts';
import { duration } from '../../../web/lib/format.ts';
import type { Check } from '../../../web/lib/types.ts';
import { useEvery, useGet } from '../../../web/lib/use-load.ts';
import type { VhostUptime } from '../routes.ts';
import { heightOf, percentOf, type Span, spanOf, summaryOf } from './span.ts';

const EVERY_MS = 30_000;
const DAYS = 30;

export const UptimePanel: SiteSection = ({ site: { id, check } }) =>
  // A viewer is not told how it is checked.
  check === null || check?.every === 0 ? null : <Panel id={id} check={check} />;

/** @param check undefined for those who may not see it */
function Panel({ id, check }: { id: number; check: Check | undefined }) {
  const { data, error, reload } = useGet<VhostUptime>(`/vhosts/${id}/uptime?days=${DAYS}`);
  useEvery(EVERY_MS, reload);
  if (!check && !data?.buckets.length) return null;
  const spans = { buckets: data?.buckets ?? [] };
  const now = new Date();
  return (
    <section class="card tight stack" aria-label="Check" aria-busy={!data}>
      <div class="row small">
        <h2>Check</h2>
        {check && <span class="muted">{wordsOfCheck(check)}</span>}
      </div>
      {error && <p class="muted">{error}</p>}
      <Strip title="Last 24 hours" span={spanOf(spans, { hours: 1, count: 24, now })} />
      <Strip title="Last 30 days" span={spanOf(spans, { hours: 24, count: DAYS, now })} />
    </section>
  );
}

function Strip({ title, span }: { title: string; span: Span }) {
  const { bars, titles, share, p50, p95 } = span;
  return (
    <div class="uptime-strip">
      <span class="small">{title}</span>
      <span class="visually-hidden">{summaryOf(span)}</span>
      <div class="uptime-plot" aria-hidden="true">
        {bars.map((share, at) => (
          <span key={titles[at]} title={titles[at]} style={{ '--right': heightOf(share) }} />
        ))}
      </div>
      <span class="small numeric" aria-hidden="true">
        <strong>{percentOf(share)}</strong>{' '}
        <span class="muted nowrap">
          {p50 === null || p95 === null
            ? 'not known yet'
            : `median ${duration(p50)}, p95 ≤ ${duration(p95)}`}
        </span>
      </span>
    </div>
  );
}
