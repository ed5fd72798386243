/** The plot of requests and latency over time, with its legend and tables. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { count, localTime } from '../lib/format.ts';
import { useDark } from '../lib/theme.ts';
import type { Entry, LogStats } from '../lib/types.ts';
import { useKept } from '../lib/use-kept.ts';
import { useLoad } from '../lib/use-load.ts';
import { WIDE } from '../lib/use-media.ts';
import { Notice } from '../parts/notice.tsx';
import { FiguresTable } from './figures-table.tsx';
import { applied, type Filters, STATS_KEYS, statsRequest } from './filters.ts';
import { Legend } from './legend.tsx';
import { filterBy } from './navigation.ts';
import { bucketLength, plotData } from './plot-data.ts';
import { PublishMarks } from './publish-marks.tsx';
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
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => !document.hidden && void reload(), LIVE_MS);
    return () => clearInterval(timer);
  }, [isLive, reload]);

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

type PlotsProps = {
  stats: LogStats | undefined;
  isStale: boolean;
  /** With latency and legend. */
  isWhole: boolean;
  changes: readonly Entry[];
};

function Plots({ stats, isStale, isWhole, changes }: PlotsProps) {
  const requests = useRef<HTMLDivElement>(null);
  const latency = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const isDark = useDark();
  const data = useMemo(() => stats && plotData(stats), [stats]);

  useEffect(() => {
    if (!data) return;
    let isOver = false;
    let remove: (() => void) | undefined;
    setCursor(null);
    import('./plot.ts').then(
      ({ drawPlots }) => {
        if (isOver || !requests.current) return;
        remove = drawPlots(requests.current, isWhole ? latency.current : null, data, {
          onCursor: setCursor,
          onZoom: (from, to) =>
            filterBy({
              from: new Date(Math.max(from, data.from) * 1000).toISOString(),
              to: new Date(Math.min(to, data.to) * 1000).toISOString(),
            }),
          onZoomOut: () => filterBy({ from: '', to: '' }),
        });
        setError(null);
      },
      (reason: unknown) => setError(`The plot could not be loaded. ${sentenceOf(reason)}`),
    );
    return () => {
      isOver = true;
      remove?.();
    };
  }, [data, isDark, isWhole]);

  return (
    <div class={isStale ? 'log-plots stale' : 'log-plots'}>
      {isWhole && <Legend stats={stats} at={cursor} />}
      {error && <Notice kind="error">{error}</Notice>}
      <div class="log-plot-place">
        <div ref={requests} class="log-plot-requests" aria-hidden="true" />
        <PublishMarks stats={stats} entries={changes} />
      </div>
      {isWhole && <div ref={latency} class="log-plot-latency" aria-hidden="true" />}
      {stats && !data && <p class="log-plot-empty muted">No requests in this period.</p>}
    </div>
  );
}
