/** The access log, of all sites or of one: filters, what features show, and requests, live if wanted. */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LOG_SECTIONS } from '../features.ts';
import { useCan } from '../lib/roles.ts';
import type { LogEntry, LogPage } from '../lib/types.ts';
import { useGet } from '../lib/use-load.ts';
import { Notice, WithoutRequests } from '../parts/notice.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { Chips, filterBy, turnBy, turnTo } from './filter/chips.tsx';
import { FilterBar } from './filter/filter-bar.tsx';
import { filterQuery, pageRequest, parseFilters, tailRequest } from './filter/filters.ts';
import { DownloadMenu, LiveBar } from './live-bar.tsx';
import { extent, LogTable, lastPage, NoRows, Pager } from './log-table.tsx';
import { below } from './tail-rows.ts';
import { useTail } from './use-tail.ts';

export const LogsPage = ({ query }: { query: URLSearchParams }) => (
  <>
    <h1>Logs</h1>
    <Log query={query} />
  </>
);

/** @param domain only the requests to these names, as a filter has them, unless the address asks for others */
export function Log({ query, domain = '' }: { query: URLSearchParams; domain?: string }) {
  const canDownload = useCan('editor');
  const asked = parseFilters(query);
  const filters = { ...asked, domain: asked.domain || domain };
  const request = pageRequest(filters);
  const { data, error, loading, reload } = useGet<LogPage>(request);
  const [opened, setOpened] = useState<LogEntry | null>(null);
  const [isLiveWanted, setLive] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const log = useRef<HTMLElement>(null);
  const isAway = useScrolledAway(log);

  // Only the newest page gets new requests.
  const isLive = isLiveWanted && filters.page === 1 && filters.to === '';
  const tail = useTail({
    isOn: isLive,
    isHeld: isPaused || isAway,
    key: tailRequest(filters),
    addressFrom: (after) => `/api${tailRequest(filters, after)}`,
    onBegin: () => void reload(),
  });
  const page = data?.logs;
  const rows = useMemo(() => below(tail.rows, page ?? []), [tail.rows, page]);

  const turnLive = async (next: boolean) => {
    setPaused(false);
    if (next) {
      filterBy({ to: '' });
      if (filters.page > 1) turnTo({ page: 1 });
    } else await reload();
    setLive(next);
  };
  const showNew = () => {
    log.current?.scrollIntoView({ block: 'start' });
    tail.showNew();
  };
  useLogKeys(log, {
    older: () => data && !isLive && turnBy(1, lastPage(data)),
    newer: () => data && !isLive && turnBy(-1, lastPage(data)),
    pause: isLive ? () => setPaused(!isPaused) : undefined,
  });
  const shownPage = useRef(filters.page);
  const toTop = useCallback(() => {
    const top = log.current?.getBoundingClientRect().top ?? 0;
    if (top < 0) log.current?.scrollIntoView({ block: 'start' });
  }, []);
  useEffect(() => {
    if (shownPage.current !== filters.page) toTop();
    shownPage.current = filters.page;
  }, [filters.page, toTop]);

  return (
    <>
      <FilterBar filters={asked} isOfSite={domain !== ''} />
      <Chips filters={asked} />
      {LOG_SECTIONS.map((Section, at) => (
        <Section key={at} query={filterQuery(filters)} isLive={isLive} />
      ))}
      {error && (
        <Notice kind="error" title={error}>
          {data && 'The requests below are from before. '}
          <button type="button" class="link" onClick={() => void reload()}>
            Try again
          </button>
        </Notice>
      )}
      <section ref={log} class={error ? 'log stale' : 'log'} aria-label="Log">
        <div class="log-tools row between">
          <LiveBar
            isLive={isLive}
            isPaused={isPaused}
            tail={tail}
            onLive={turnLive}
            onPause={setPaused}
            onShow={showNew}
          />
          <span class="log-extent small muted numeric" role="status">
            {data && !isLive ? extent(data) : ''}
          </span>
          {canDownload && <DownloadMenu filters={filters} total={data?.total} />}
        </div>
        <WithoutRequests from={data?.missing} />
        {data?.partial && (
          <p class="notice notice-warning">
            The search stopped early, so older matches may be missing.{' '}
            <button type="button" disabled={loading} onClick={() => void reload()}>
              Continue searching
            </button>
          </p>
        )}
        <LogTable live={tail.rows.shown} page={rows} isBusy={loading} onOpen={setOpened} />
        {data && rows.length + tail.rows.shown.length === 0 && (
          <NoRows filters={asked} data={data} />
        )}
        {!isLive && data && <Pager data={data} />}
      </section>
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

/** Pixels; a nudge of the wheel is not scrolling away. */
const SLACK = 40;

/** Whether the reader has scrolled down into the log: new rows must not push the text away. */
function useScrolledAway(log: RefObject<HTMLElement | null>): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const update = () => setAway((log.current?.getBoundingClientRect().top ?? 0) < -SLACK);
    update();
    addEventListener('scroll', update, { passive: true });
    return () => removeEventListener('scroll', update);
  }, [log]);
  return isAway;
}

type LogKeys = {
  older: () => void;
  newer: () => void;
  /** Undefined while the log is not live. */
  pause: (() => void) | undefined;
};

const TAKES_KEYS = 'a, button, input, select, textarea, summary, dialog';

/** @param log the part of the page in which letters are shortcuts (WCAG 2.2, 2.1.4) */
function useLogKeys(log: RefObject<HTMLElement | null>, keys: LogKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { older, newer, pause } = latest.current;
      const element = event.target instanceof Element ? event.target : document.body;
      if (event.ctrlKey || event.metaKey || event.shiftKey || element.closest('dialog')) return;
      const isInLog = log.current?.contains(element) && !element.matches('input, select');
      let act: (() => void) | undefined;
      if (event.altKey) {
        if (event.key === 'PageDown') act = older;
        if (event.key === 'PageUp') act = newer;
      } else if (event.key === ' ' && !element.closest(TAKES_KEYS)) act = pause;
      else if (isInLog && event.key === 'n') act = older;
      else if (isInLog && event.key === 'p') act = newer;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [log]);
}
