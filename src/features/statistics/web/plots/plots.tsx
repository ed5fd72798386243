/** The plots of requests and latency, with a legend and marks where changes went live. */
import { useMemo } from 'preact/hooks';
import type { Entry, LogStats } from '../../../../web/lib/types.ts';
import { useWidth } from '../../../../web/lib/use-browser.ts';
import type { Range } from '../../../../web/logs/filter/time-range.tsx';
import { Legend } from './legend.tsx';
import { PublishMarks } from './marks.tsx';
import { Patterns } from './patterns.tsx';
import { bottomOf, LEFT, NAMES_HEIGHT, Plot, RIGHT } from './plot.tsx';
import { bucketWords, plotData } from './plot-data.ts';
import { useCursor } from './use-cursor.ts';

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
  const [place, width] = useWidth();
  const data = useMemo(() => stats && plotData(stats), [stats]);
  const columns = data?.times.length ?? 0;
  const timeAt = (part: number) =>
    data ? new Date((data.from + part * (data.to - data.from)) * 1000).toISOString() : '';
  const { column, drag, handlers } = useCursor(
    columns,
    (from, to) => onZoom({ from: timeAt(from), to: timeAt(to) }),
    () => onZoom({ from: '', to: '' }),
  );
  // The same while the cursor moves.
  const plot = useMemo(
    () => data && <Plot data={data} width={width} isWhole={isWhole} />,
    [data, width, isWhole],
  );
  const bottom = bottomOf(isWhole);
  const height = bottom + NAMES_HEIGHT;
  const bucket = column === null ? undefined : stats?.buckets[column];
  /** @param from from 0 to 1 of the columns' width, as is `to` */
  const band = (from: number, to: number, fill: string, opacity: number) => {
    const room = width - LEFT - RIGHT;
    const place = { x: LEFT + from * room, width: (to - from) * room, height: bottom };
    return <rect {...place} fill={fill} opacity={opacity} />;
  };
  const keys = {
    role: 'slider',
    tabIndex: 0,
    'aria-label': 'Time of the figures',
    'aria-valuemin': 0,
    'aria-valuemax': columns,
    'aria-valuenow': (column ?? -1) + 1,
    'aria-valuetext': bucket ? bucketWords(bucket, stats ?? {}) : 'Total',
  } as const;
  return (
    <div class={isStale ? 'stale' : ''}>
      <Patterns />
      {isWhole && <Legend stats={stats} column={column} />}
      <div class="log-plot" style={{ height }}>
        <div ref={place} {...(isWhole && data ? keys : {})} {...handlers}>
          {data && width > 0 && (
            <svg width={width} height={height} aria-hidden="true">
              {column !== null &&
                band(column / columns, (column + 1) / columns, 'var(--ink)', 0.09)}
              {plot}
              {drag && band(drag.from, drag.to, 'var(--accent)', 0.22)}
            </svg>
          )}
        </div>
        <PublishMarks stats={stats} entries={changes} />
        {stats && !data && <p class="log-plot-empty center muted">No requests in this period.</p>}
      </div>
    </div>
  );
}
