/** On the page of a site: its last hour in figures, and its last day as a plot. */
import type { RequestsSection } from '../../../web/feature.ts';
import { get } from '../../../web/lib/api.ts';
import { navigate } from '../../../web/lib/router.ts';
import type { Entry } from '../../../web/lib/types.ts';
import { useMedia, WIDE } from '../../../web/lib/use-browser.ts';
import { useEvery, useLoad } from '../../../web/lib/use-load.ts';
import { logsOf } from '../../../web/logs/filter/filters.ts';
import { Notice, WithoutRequests } from '../../../web/parts/notice.tsx';
import { HourTiles } from './hour-tiles.tsx';
import { EVERY_MS, HOUR_MS, useFigures } from './hours.ts';
import { Plots } from './plots/plots.tsx';

export const LastDay: RequestsSection = ({ host, site: { domain } }) => {
  const buckets = useMedia(WIDE) ? 96 : 48;
  const { data, error } = useFigures({ domain: host, milliseconds: 24 * HOUR_MS, buckets });
  const changes = useLoad(`changes ${domain}`, (signal) =>
    get<Entry[]>(`/changelog?domain=${encodeURIComponent(domain)}`, signal),
  );
  useEvery(EVERY_MS, changes.reload);
  return (
    <>
      <HourTiles hours={data?.hours} domain={host} />
      <WithoutRequests from={data?.plot.missing} />
      <section class="card tight" aria-label="Requests and latency of the last 24 hours">
        <h2>Last 24 hours</h2>
        {error && <Notice kind="error">{error}</Notice>}
        <Plots
          stats={data?.plot}
          isStale={error !== null}
          isWhole
          changes={changes.data ?? []}
          onZoom={({ from, to }) => from !== '' && navigate(logsOf({ domain: host, from, to }))}
        />
      </section>
    </>
  );
};
