/** The requests of a site: figures, plot, last errors and last requests. */
import { useState } from 'preact/hooks';
import { HourTiles } from '../figures/hour-tiles.tsx';
import { HOUR_MS, logsOf } from '../figures/hours.ts';
import { useFigures } from '../figures/use-figures.ts';
import { get } from '../lib/api.ts';
import { navigate } from '../lib/router.ts';
import type { Entry, LogEntry, LogPage } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { useLoad } from '../lib/use-load.ts';
import { useMedia, WIDE } from '../lib/use-media.ts';
import { EntryDialog } from '../logs/entry-dialog.tsx';
import { Plots } from '../logs/plots/plots.tsx';
import { Notice } from '../parts/notice.tsx';
import { RequestList } from './request-list.tsx';

const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 30_000;
const ERRORS = 5;
const REQUESTS = 8;

/** @param host as the log has it @param domain as the changelog has it */
export function SiteTraffic({ host, domain }: { host: string; domain: string }) {
  const isWide = useMedia(WIDE);
  const { data, error } = useFigures({
    domain: host,
    milliseconds: DAY_MS,
    buckets: isWide ? 96 : 48,
  });
  const changes = useLoad(`changes ${domain}`, (signal) =>
    get<Entry[]>(`/changelog?domain=${encodeURIComponent(domain)}`, signal),
  );
  const log = encodeURIComponent(host);
  const errors = useLoad(`errors ${host}`, (signal) =>
    get<LogPage>(`/logs?domain=${log}&status=5xx&pageSize=${ERRORS}&details=true`, signal),
  );
  const requests = useLoad(`requests ${host}`, (signal) =>
    get<LogPage>(`/logs?domain=${log}&pageSize=${REQUESTS}`, signal),
  );
  useEvery(EVERY_MS, () => [changes, errors, requests].map(({ reload }) => reload()));
  const [opened, setOpened] = useState<LogEntry | null>(null);
  return (
    <div class="site-traffic">
      <HourTiles hours={data?.hours} domain={host} />
      <section class="card tight log-plot" aria-label="Requests and latency of the last 24 hours">
        <div class="log-plot-head flow">
          <h2>Last 24 hours</h2>
        </div>
        {error && <Notice kind="error">{error}</Notice>}
        <Plots
          stats={data?.plot}
          isStale={error !== null}
          isWhole
          changes={changes.data ?? []}
          onZoom={({ from, to }) => from !== '' && navigate(logsOf({ domain: host, from, to }))}
        />
      </section>
      <div class="site-lists">
        <RequestList
          title="Last errors"
          page={errors}
          none="No errors (5xx) in the log."
          all={{ to: logsOf({ domain: host, status: '5xx' }), label: 'All errors' }}
          onOpen={setOpened}
        />
        <RequestList
          title="Last requests"
          page={requests}
          none="No requests in the log yet."
          all={{ to: logsOf({ domain: host }), label: 'All requests' }}
          onOpen={setOpened}
        />
      </div>
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}
