/** The tools above the log: they turn it live, pause it, and download it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { count, plural } from '../lib/format.ts';
import { EXPORT_FORMATS, exportAddress, type Filters } from './filter/filters.ts';
import type { Tail } from './use-tail.ts';

type Props = {
  isLive: boolean;
  isPaused: boolean;
  tail: Tail;
  onLive: (isLive: boolean) => void;
  onPause: (isPaused: boolean) => void;
  /** Shows the rows that were held back. */
  onShow: () => void;
};

export function LiveBar({ isLive, isPaused, tail, onLive, onPause, onShow }: Props) {
  const { unseen } = tail.rows;
  return (
    <div class="row">
      <button type="button" aria-pressed={isLive} onClick={() => onLive(!isLive)}>
        <span class={isLive ? 'lamp' : 'lamp lamp-unknown'} aria-hidden="true" />
        Live
      </button>
      {isLive && (
        <>
          <button type="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          {unseen > 0 && (
            <button type="button" class="primary" onClick={onShow}>
              {unseen.toLocaleString('en')} new
            </button>
          )}
          <span class="muted">{STATE_WORDS[tail.state]}</span>
        </>
      )}
      <Summary tail={tail} isLive={isLive} />
    </div>
  );
}

const STATE_WORDS: Readonly<Record<Tail['state'], string>> = {
  off: '',
  connecting: 'Connecting …',
  open: '',
  broken: 'Connection lost. Reconnecting …',
};

const SUMMARY_MS = 10_000;

/** For screen readers: announces from time to time how many requests arrived. */
function Summary({ tail: { rows }, isLive }: { tail: Tail; isLive: boolean }) {
  const [text, setText] = useState('');
  const newest = Math.max(rows.shown[0]?.id ?? -1, rows.waiting[0]?.id ?? -1) + 1;
  const seen = useRef(newest);
  seen.current = newest;
  useEffect(() => {
    if (!isLive) return setText('');
    setText('Live. New requests appear at the top of the table.');
    let announced = 0;
    const timer = setInterval(() => {
      const more = seen.current - announced;
      announced = seen.current;
      if (more > 0) setText(`${plural(more, 'new request')}.`);
    }, SUMMARY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return (
    <span class="visually-hidden" role="status">
      {text}
    </span>
  );
}

/** The hub's limit, see `X-Export-Limit`. */
const MOST = 1_000_000;

/** Links that download all requests that match; the browser saves them as they arrive. */
export function DownloadMenu({ filters, total }: { filters: Filters; total: number | undefined }) {
  return (
    <details class="log-download">
      <summary class="button">Download</summary>
      <div class="card tight stack">
        <p class="muted">
          {total !== undefined && total > MOST
            ? `The oldest ${count(MOST)} of ${count(total)} matches.`
            : `All ${total === undefined ? '' : `${count(total)} `}matches, oldest first.`}
        </p>
        {EXPORT_FORMATS.map((format) => (
          <a key={format} href={exportAddress(filters, format)} download>
            {LABELS[format]}
          </a>
        ))}
      </div>
    </details>
  );
}

const LABELS = { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, with all details' };
