/** The requests of a site: what features show of them, and its last errors. */
import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestsSection } from '../feature.ts';
import { REQUESTS_SECTIONS } from '../features.ts';
import { get } from '../lib/api.ts';
import { localTime } from '../lib/format.ts';
import type { LogEntry, LogPage } from '../lib/types.ts';
import { useEvery, useLoad } from '../lib/use-load.ts';
import { EntryDialog } from '../logs/entry-dialog.tsx';
import { CLASS_WORDS, classOf, StatusMark, shown } from '../logs/values.tsx';

const EVERY_MS = 30_000;
const ERRORS = 5;
/** Characters shown of a path, and of an error. */
const PATH_SHOWN = 120;
const ERROR_SHOWN = 500;

type Props = ComponentProps<RequestsSection>;

export function SiteTraffic({ host, site, onChanged }: Props) {
  const query = `domain=${encodeURIComponent(host)}&status=5xx`;
  const errors = useLoad(`errors ${host}`, (signal) =>
    get<LogPage>(`/logs?${query}&pageSize=${ERRORS}&details=true`, signal),
  );
  useEvery(EVERY_MS, errors.reload);
  const [opened, setOpened] = useState<LogEntry | null>(null);
  const entries = errors.data?.logs ?? [];
  return (
    <>
      {REQUESTS_SECTIONS.map((Section, at) => (
        <Section key={at} host={host} site={site} onChanged={onChanged} />
      ))}
      {entries.length > 0 && (
        <section class="card tight" aria-label="Last errors">
          <div class="row between small">
            <h2>Last errors</h2>
            <a href={`/sites/${site.id}/log?${query}`}>All errors</a>
          </div>
          <ul class="requests plain">
            {entries.map((entry, at) => (
              <li key={`${entry.timestamp} ${at}`}>
                <Request entry={entry} onOpen={setOpened} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

/** Opens to everything that Caddy wrote about it. */
function Request({ entry, onOpen }: { entry: LogEntry; onOpen: (entry: LogEntry) => void }) {
  const { timestamp, status, method, path, error } = entry;
  const name = classOf(status);
  return (
    <button type="button" class="request small" onClick={() => onOpen(entry)}>
      <span class="nowrap strong numeric">
        <StatusMark name={name} />
        {status}
        <span class="visually-hidden"> {CLASS_WORDS[name]}</span>
      </span>
      <bdi class="cut tiny mono" dir="ltr">
        {shown(method, 20)} {shown(path, PATH_SHOWN)}
      </bdi>
      <span class="nowrap numeric muted">
        {timestamp === '' ? 'no time' : localTime(timestamp)}
      </span>
      {error && <bdi class="request-error span bad">{shown(error, ERROR_SHOWN)}</bdi>}
    </button>
  );
}
