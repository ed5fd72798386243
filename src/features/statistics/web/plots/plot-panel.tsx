/** The plot of requests and latency over time, with its legend and tables. */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { LogSection } from '../../../../web/feature.ts';
import { get } from '../../../../web/lib/api.ts';
import { localTime, plural } from '../../../../web/lib/format.ts';
import type { Entry, LogStats } from '../../../../web/lib/types.ts';
import { useKept, WIDE } from '../../../../web/lib/use-browser.ts';
import { useEvery, useLoad } from '../../../../web/lib/use-load.ts';
import { filterBy } from '../../../../web/logs/filter/chips.tsx';
import { parseFilters } from '../../../../web/logs/filter/filters.ts';
import { CLASSES } from '../../../../web/logs/values.tsx';
import { Notice } from '../../../../web/parts/notice.tsx';
import { statsRequest } from '../hours.ts';
import { amount, barWords, latency } from './plot-data.ts';
import { Plots } from './plots.tsx';
import { shareOf, TopLists } from './top-lists.tsx';

/** As many columns as the screen can show clearly. */
const BUCKETS = matchMedia(WIDE).matches ? 120 : 48;
/** How often the plot of a live log is refreshed. */
const LIVE_MS = 15_000;

export const PlotPanel: LogSection = ({ query, isLive }) => {
  const filters = parseFilters(query);
  const request = statsRequest(filters, BUCKETS);
  const { data, error, loading, reload } = useLoad(request, (signal) =>
    get<LogStats>(request, signal),
  );
  useEvery(LIVE_MS, () => isLive && reload());

  const changelog = useLoad('changelog', (signal) => get<Entry[]>('/changelog', signal));
  const [isWhole, setWhole] = useKept('logs.plot', false);

  const isZoomed = filters.from !== '' || filters.to !== '';
  const share = data ? shareOf(data) : '';
  const unread = data?.buckets.filter(({ unread }) => unread).length ?? 0;
  return (
    <section
      class="card tight below"
      aria-label="Requests and latency over time"
      aria-busy={loading}
    >
      <div class="log-plot-head row baseline">
        <h2>{data ? `${amount(data.requests, data)} requests` : 'Requests'}</h2>
        <span class="small numeric muted">
          {data?.from && data.to && `${localTime(data.from)} to ${localTime(data.to)}`}
          {data && barWords(data)}
        </span>
        <button
          type="button"
          class="quiet end"
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
        stats={data}
        isStale={error !== null}
        isWhole={isWhole}
        changes={changelog.data ?? []}
        onZoom={filterBy}
      />
      {(isWhole || share || data?.partial) && (
        <p class="log-plot-notes tiny muted">
          {isWhole && 'Drag across the plot to zoom in. '}
          {share && `Estimated ${share}. `}
          {unread > 0 &&
            `${plural(unread, 'bar is', 'bars are')} unknown, not 0: no line was read. `}
          {data?.partial && 'The numbers are incomplete.'}
        </p>
      )}
      {isWhole && (
        <>
          <Opened
            stats={data}
            summary={`Most frequent values${share && `, ${share}`}`}
            View={TopLists}
          />
          <Opened stats={data} summary="Show as a table" View={Figures} />
        </>
      )}
    </section>
  );
};

type OpenedProps = {
  stats: LogStats | undefined;
  summary: string;
  View: ComponentType<{ stats: LogStats }>;
};

/** What is made only once it is opened. */
function Opened({ stats, summary, View }: OpenedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="muted">{summary}</summary>
      {isOpen && stats && <View stats={stats} />}
    </details>
  );
}

/** The numbers of the plot as a table, for those who cannot see it. */
function Figures({ stats }: { stats: LogStats }) {
  const busy = stats.buckets.filter(
    ({ requests, unread }) => unread || CLASSES.some((name) => requests[name] > 0),
  );
  return (
    <section
      class="log-scroll scroll nowrap numeric"
      aria-label="Requests and latency over time, as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {CLASSES.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">p50</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          {busy.map(({ from, requests, p50, p95, unread }) => (
            <tr key={from}>
              <th scope="row">{localTime(from)}</th>
              {CLASSES.map((name) => (
                <td key={name}>{unread ? 'unknown' : amount(requests[name], stats)}</td>
              ))}
              <td>{latency(p50)}</td>
              <td>{latency(p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
