/** The plots of requests and latency, with a legend and marks where changes went live. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../lib/api.ts';
import type { Entry, LogStats } from '../lib/types.ts';
import { useMedia } from '../lib/use-media.ts';
import { Notice } from '../parts/notice.tsx';
import { Legend } from './legend.tsx';
import { plotData } from './plot-data.ts';
import { PublishMarks } from './publish-marks.tsx';
import type { Range } from './times.ts';

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
  const isDark = useMedia('(prefers-color-scheme: dark)');
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
