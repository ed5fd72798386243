/** Shows everything that Caddy wrote about a request. */
import { useState } from 'preact/hooks';
import { CAUSE_NOTES, ENTRY_LINKS } from '../features.ts';
import { get } from '../lib/api.ts';
import { localTime } from '../lib/format.ts';
import { useCan } from '../lib/roles.ts';
import type { LogEntry, LogPage } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { lazy } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { type Fact, factsOf } from './entry-facts.ts';
import { filterBy } from './filter/chips.tsx';
import { accepted, entryRequest, PATH_FILTER, sameEntry } from './filter/filters.ts';
import { cut, shown } from './values.tsx';

const BlockDialog = lazy(async () => (await import('../placement/dialogs.ts')).BlockDialog);

/** Characters; a path may have a million, too many to show quickly. */
const MAX_SHOWN = 10_000;

type Props = { entry: LogEntry; onClose: () => void };

export function EntryDialog({ entry, onClose }: Props) {
  const request = entryRequest(entry);
  const { data, error } = useLoad(request ?? '', async (signal) => {
    if (request === null) return null;
    const { logs } = await get<LogPage>(request, signal);
    return logs.find((one) => sameEntry(one, entry)) ?? null;
  });
  // The answer of one proxy does not name it.
  const whole = { ...entry, ...data };
  const { cause } = whole;
  const canBlock = useCan('editor') && accepted('ip', entry.ip) !== undefined;
  const [isBlocking, setBlocking] = useState(false);
  if (isBlocking) {
    return (
      <Dialog key="block" title={`Block ${entry.ip}?`} onClose={onClose}>
        <BlockDialog address={entry.ip} host={entry.domain} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Request" onClose={onClose}>
      <p class="muted">{entry.timestamp === '' ? 'no time' : localTime(entry.timestamp)}</p>
      {error && <Notice kind="error" title={error} />}
      {data === null && (
        <Notice kind="warning">The rest of this request is no longer in the log.</Notice>
      )}
      <LongText label="Domain" text={entry.domain} filter="domain" onClose={onClose} />
      <LongText label="Path" text={entry.path} filter="path" onClose={onClose} />
      {cause !== undefined &&
        CAUSE_NOTES.map((Note) => <Note key={Note.name} cause={cause} host={entry.domain} />)}
      {entry.timestamp !== '' &&
        ENTRY_LINKS.map((Link, at) => (
          <Link key={at} at={entry.timestamp} host={entry.domain} onClose={onClose} />
        ))}
      <div aria-busy={data === undefined && !error}>
        {factsOf(whole).map(({ title, facts }) => (
          <section key={title} aria-label={title}>
            <h3 class="small muted">{title}</h3>
            <dl class="facts entry-facts small">
              {facts.map((fact) => (
                <FactRow key={fact.label} fact={fact} onClose={onClose} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="actions">
        {canBlock && (
          <button type="button" onClick={() => setBlocking(true)}>
            Block this address …
          </button>
        )}
        <CopyButton text={entry.path} label="Copy path" />
        <CopyButton text={JSON.stringify(whole, null, 2)} label="Copy as JSON" />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function FactRow({ fact: { label, value, filter }, onClose }: { fact: Fact; onClose: () => void }) {
  return (
    <div>
      <dt>{shown(label, MAX_SHOWN)}</dt>
      <dd class="line baseline">
        <bdi dir="ltr">{shown(value, MAX_SHOWN)}</bdi>
        {filter && <FilterButton label={label} filter={filter} value={value} onClose={onClose} />}
      </dd>
    </div>
  );
}

type FilterProps = {
  label: string;
  filter: NonNullable<Fact['filter']>;
  value: string;
  onClose: () => void;
};

function FilterButton({ label, filter, value, onClose }: FilterProps) {
  const normal = value === '' ? undefined : accepted(filter, value);
  if (normal === undefined) return null;
  return (
    <button
      type="button"
      class="link tiny"
      aria-label={`Filter by ${label}`}
      onClick={() => {
        onClose();
        filterBy({ [filter]: normal });
      }}
    >
      Filter
    </button>
  );
}

type LongProps = { label: string; text: string; filter: 'domain' | 'path'; onClose: () => void };

function LongText({ label, text, filter, onClose }: LongProps) {
  return (
    <>
      <h3 class="line baseline small">
        {label}
        {text.length > MAX_SHOWN && `, ${text.length.toLocaleString('en')} characters`}
        <FilterButton
          label={label}
          filter={filter}
          value={cut(text, PATH_FILTER)}
          onClose={onClose}
        />
      </h3>
      {text.length > MAX_SHOWN && (
        <p class="muted">Showing the first {MAX_SHOWN.toLocaleString('en')}:</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <section class="code wrap" tabIndex={0} aria-label={label}>
        <bdi class="mono" dir="ltr">
          {shown(text, MAX_SHOWN)}
        </bdi>
      </section>
    </>
  );
}
