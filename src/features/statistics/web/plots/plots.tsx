/** The plots of requests and latency, with a legend and marks where changes went live. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../../../../web/lib/api.ts';
import { duration, localTime } from '../../../../web/lib/format.ts';
import { useDark } from '../../../../web/lib/theme.ts';
import type { Entry, LogStats } from '../../../../web/lib/types.ts';
import type { Range } from '../../../../web/logs/filter/time-range.tsx';
import { CLASS_WORDS } from '../../../../web/logs/values.tsx';
import { Notice } from '../../../../web/parts/notice.tsx';
import { amount, type Mark, marksOf, plotData, STACK, totals } from './plot-data.ts';

type Props = {
  stats: LogStats | undefined;
  isStale: boolean;
  /** With latency and legend. */
  isWhole: boolean;
  changes: readonly Entry[];
  /** Called with the range dragged over, or with empty texts to leave it. */
  onZoom: (range: Range) => void;
};

export function Plots({ stats, isStale, isWhole, changes, onZoom }: Props) {
  const requests = useRef<HTMLDivElement>(null);
  const latency = useRef<HTMLDivElement>(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
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
            zoom.current({
              from: new Date(Math.max(from, data.from) * 1000).toISOString(),
              to: new Date(Math.min(to, data.to) * 1000).toISOString(),
            }),
          onZoomOut: () => zoom.current({ from: '', to: '' }),
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

const LATENCIES = [
  { name: 'p50', words: 'median latency' },
  { name: 'p95', words: 'p95: 95 % are faster' },
] as const;

/** The legend of the plot, with the numbers at the cursor or, without a cursor, the totals. */
function Legend({ stats, at }: { stats: LogStats | undefined; at: number | null }) {
  const bucket = at === null ? undefined : stats?.buckets[at];
  const requests = bucket?.requests ?? (stats ? totals(stats) : undefined);
  const latency = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : duration(value);
  // Rare classes are shown only if they occur.
  const sums = stats ? totals(stats) : undefined;
  const names = STACK.filter(
    (name) => !(name === '1xx' || name === 'other') || (sums && sums[name] > 0),
  );
  return (
    <div class="log-legend row tiny numeric">
      <span class="log-legend-time muted">{bucket ? localTime(bucket.from) : 'Total'}</span>
      {names.map((name) => (
        <span key={name} class="nowrap">
          <span class={`swatch swatch-${name}`} aria-hidden="true" />
          <span title={CLASS_WORDS[name]}>{name}</span>{' '}
          <b>{bucket?.unread ? '?' : stats && requests ? amount(requests[name], stats) : '–'}</b>
        </span>
      ))}
      {LATENCIES.map(({ name, words }) => (
        <span key={name} class="log-legend-latency nowrap">
          <span class={`swatch swatch-${name}`} aria-hidden="true" />
          {words} {bucket && <b>{latency(bucket[name])}</b>}
        </span>
      ))}
    </div>
  );
}

type PublishMarksProps = { stats: LogStats | undefined; entries: readonly Entry[] };

/** Pixels between two marks, so that a finger hits only one. */
const APART = 25;

/** Marks on the plot where changes went live. */
export function PublishMarks({ stats, entries }: PublishMarksProps) {
  const list = useRef<HTMLUListElement>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  const marks = stats ? marksOf(stats, entries, APART / width) : [];
  const isEmpty = marks.length === 0;
  useEffect(() => {
    if (isEmpty || !list.current) return;
    const observer = new ResizeObserver(([seen]) => seen && setWidth(seen.contentRect.width));
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [isEmpty]);
  if (isEmpty) return null;
  return (
    <ul ref={list} class="log-marks plain" aria-label="Changes in this period">
      {marks.map((mark) => (
        <li key={mark.entries[0]?.id} style={{ '--at': String(mark.at) }}>
          <a href={addressOf(mark)} title={titleOf(mark)}>
            <span class="visually-hidden">{titleOf(mark)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Most names shown in a title. */
const NAMED = 5;

function titleOf({ entries }: Mark): string {
  const lines = entries.slice(0, NAMED).map(({ action, domain, userName, createdAt }) => {
    return `${action} ${domain} by ${userName}, ${localTime(createdAt)}`;
  });
  const more = entries.length - NAMED;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function addressOf({ entries }: Mark): string {
  const domains = new Set(entries.map(({ domain }) => domain));
  const [only] = domains;
  return domains.size === 1 && only !== undefined
    ? `/changelog?domain=${encodeURIComponent(only)}`
    : '/changelog';
}
