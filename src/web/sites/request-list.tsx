/** A few requests of a site, each opening to everything Caddy wrote about it. */
import { localTime } from '../lib/format.ts';
import type { LogEntry, LogPage } from '../lib/types.ts';
import type { Loaded } from '../lib/use-load.ts';
import { shown } from '../logs/hostile.ts';
import { CLASS_WORDS, classOf, StatusMark } from '../logs/status-class.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';

/** Characters shown of a path, and of an error. */
const PATH_SHOWN = 120;
const ERROR_SHOWN = 500;

type Props = {
  title: string;
  page: Loaded<LogPage>;
  /** Shown if there are no requests. */
  none: string;
  all: { to: string; label: string };
  onOpen: (entry: LogEntry) => void;
};

export function RequestList({ title, page: { data, error }, none, all, onOpen }: Props) {
  return (
    <section class="card tight" aria-label={title}>
      <div class="card-head row">
        <h2>{title}</h2>
        <a href={all.to}>{all.label}</a>
      </div>
      {!data && (error ? <p class="muted">{error}</p> : <SkeletonRows rows={4} label="Loading" />)}
      {data?.logs.length === 0 && <p class="muted">{none}</p>}
      {data && data.logs.length > 0 && (
        <ul class="requests plain">
          {data.logs.map((entry, at) => (
            <li key={`${entry.timestamp} ${at}`}>
              <Request entry={entry} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Request({ entry, onOpen }: Pick<Props, 'onOpen'> & { entry: LogEntry }) {
  const { timestamp, status, method, path, error } = entry;
  const name = classOf(status);
  return (
    <button type="button" class="request" onClick={() => onOpen(entry)}>
      <span class="request-time numeric muted" title={localTime(timestamp)}>
        {timestamp === '' ? 'no time' : localTime(timestamp).slice(5)}
      </span>
      <span class="request-status strong numeric">
        <StatusMark name={name} />
        {status}
        <span class="visually-hidden"> {CLASS_WORDS[name]}</span>
      </span>
      <bdi class="request-path cut tiny mono" dir="ltr">
        {shown(method, 20)} {shown(path, PATH_SHOWN)}
      </bdi>
      {error && <bdi class="request-error over">{shown(error, ERROR_SHOWN)}</bdi>}
    </button>
  );
}
