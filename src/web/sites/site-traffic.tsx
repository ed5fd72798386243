/** The requests of a site: what features show of them, and lists of its last errors and last requests. */
import { useState } from 'preact/hooks';
import { REQUESTS_SECTIONS } from '../features.ts';
import { get } from '../lib/api.ts';
import { localTime } from '../lib/format.ts';
import type { LogEntry, LogPage } from '../lib/types.ts';
import { type Loaded, useEvery, useLoad } from '../lib/use-load.ts';
import { EntryDialog } from '../logs/entry-dialog.tsx';
import { logsOf } from '../logs/filter/filters.ts';
import { CLASS_WORDS, classOf, StatusMark, shown } from '../logs/values.tsx';
import { SkeletonRows } from '../parts/loading.tsx';

const EVERY_MS = 30_000;
const ERRORS = 5;
const REQUESTS = 8;

/** @param host as the log has it @param domain as the changelog has it */
export function SiteTraffic({ host, domain }: { host: string; domain: string }) {
  const log = encodeURIComponent(host);
  const errors = useLoad(`errors ${host}`, (signal) =>
    get<LogPage>(`/logs?domain=${log}&status=5xx&pageSize=${ERRORS}&details=true`, signal),
  );
  const requests = useLoad(`requests ${host}`, (signal) =>
    get<LogPage>(`/logs?domain=${log}&pageSize=${REQUESTS}`, signal),
  );
  useEvery(EVERY_MS, () => [errors, requests].map(({ reload }) => reload()));
  const [opened, setOpened] = useState<LogEntry | null>(null);
  return (
    <div class="stack below">
      {REQUESTS_SECTIONS.map((Section) => (
        <Section key={Section.name} host={host} domain={domain} />
      ))}
      <div class="site-lists columns">
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

/** A few requests of a site, each opening to everything Caddy wrote about it. */
function RequestList({ title, page: { data, error }, none, all, onOpen }: Props) {
  return (
    <section class="card tight" aria-label={title}>
      <div class="card-head row between small">
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
    <button type="button" class="request small" onClick={() => onOpen(entry)}>
      <span class="nowrap numeric muted" title={localTime(timestamp)}>
        {timestamp === '' ? 'no time' : localTime(timestamp).slice(5)}
      </span>
      <span class="nowrap strong numeric">
        <StatusMark name={name} />
        {status}
        <span class="visually-hidden"> {CLASS_WORDS[name]}</span>
      </span>
      <bdi class="request-path cut tiny mono" dir="ltr">
        {shown(method, 20)} {shown(path, PATH_SHOWN)}
      </bdi>
      {error && <bdi class="request-error span bad">{shown(error, ERROR_SHOWN)}</bdi>}
    </button>
  );
}
