/** The plot of requests and latency over time, with its legend and tables. */
import { get } from '../lib/api.ts';
import { count, localTime } from '../lib/format.ts';
import type { Entry, LogStats } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { useKept } from '../lib/use-kept.ts';
import { useLoad } from '../lib/use-load.ts';
import { WIDE } from '../lib/use-media.ts';
import { Notice } from '../parts/notice.tsx';
import { FiguresTable } from './figures-table.tsx';
import { applied, type Filters, STATS_KEYS, statsRequest } from './filters.ts';
import { filterBy } from './navigation.ts';
import { bucketLength } from './plot-data.ts';
import { Plots } from './plots.tsx';
import { TopPanel } from './top-panel.tsx';

/** As many columns as the screen can show clearly. */
const BUCKETS = matchMedia(WIDE).matches ? 120 : 48;
/** How often the plot of a live log is refreshed. */
const LIVE_MS = 15_000;

export function PlotPanel({ filters, isLive }: { filters: Filters; isLive: boolean }) {
  const request = statsRequest(filters, BUCKETS);
  const { data, error, loading, reload } = useLoad(request, (signal) =>
    get<LogStats>(request, signal),
  );
  useEvery(LIVE_MS, () => isLive && reload());

  const changelog = useLoad('changelog', (signal) => get<Entry[]>('/changelog', signal));
  const [isWhole, setWhole] = useKept('logs.plot', false);

  const ignoresSome = applied(filters).some(
    ({ key }) => !STATS_KEYS.some((known) => known === key),
  );
  const isZoomed = filters.from !== '' || filters.to !== '';
  const bar = data ? bucketLength(data) : '';
  return (
    <section
      class={isWhole ? 'card log-plot' : 'card log-plot log-plot-low'}
      aria-label="Requests and latency over time"
      aria-busy={loading}
    >
      <div class="log-plot-head">
        <h2>{data ? `${count(data.requests)} requests` : 'Requests'}</h2>
        <span class="muted">
          {data?.from && data.to && `${localTime(data.from)} to ${localTime(data.to)}`}
          {bar && `, 1 bar = ${bar}`}
        </span>
        <button
          type="button"
          class="quiet"
          disabled={!isZoomed}
          onClick={() => filterBy({ from: '', to: '' })}
        >
          Zoom out
        </button>
        <button
          type="button"
          class="quiet"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Fold' : 'Latency and figures'}
        </button>
      </div>
      {error && <Notice kind="error">{error}</Notice>}
      <Plots
        key={String(isWhole)}
        stats={data}
        isStale={error !== null}
        isWhole={isWhole}
        changes={changelog.data ?? []}
        onZoom={filterBy}
      />
      {(isWhole || ignoresSome || data?.partial) && (
        <p class="log-plot-notes">
          {isWhole && <span class="log-drag">Drag across the plot to zoom in. </span>}
          {ignoresSome && 'The plot uses only the domain and time filters. '}
          {data?.partial && 'The numbers are incomplete.'}
        </p>
      )}
      {isWhole && (
        <>
          <TopPanel stats={data} />
          <FiguresTable stats={data} />
        </>
      )}
    </section>
  );
}
