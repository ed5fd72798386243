/** The changes that meet a filter, grouped by day, page by page. */
import { useEffect, useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Entry } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { byDay, dayName, merged } from './describe.ts';
import { EntryView } from './entry-view.tsx';

/** Entries per page of the API. */
const PAGE = 100;

/** @param query the filter, as in an address; empty: all changes */
export function EntryList({ query }: { query: string }) {
  const hub = useHub();
  const [full, setFull] = useState(false);
  const page = (before: number | null, signal?: AbortSignal) =>
    get<Entry[]>(`/changelog?${query}${before === null ? '' : `&before=${before}`}`, signal);
  const { data, error, set } = useLoad(`changelog ${query}`, async (signal) => {
    const first = await page(null, signal);
    setFull(first.length === PAGE);
    return first;
  });

  const isLoaded = data !== undefined;
  useEffect(() => {
    // A link to one change, such as the overview's.
    if (isLoaded) document.getElementById(location.hash.slice(1))?.focus();
  }, [isLoaded]);

  const undone = async () => {
    hub.refresh();
    const fresh = await page(null);
    set((old) => merged(fresh, old ?? []));
  };
  const older = useSubmit(async () => {
    const more = await page(data?.at(-1)?.id ?? null);
    setFull(more.length === PAGE);
    set((old) => [...(old ?? []), ...more]);
  });
  const find = (id: number) => data?.find((entry) => entry.id === id);

  return (
    <>
      {error && <Notice kind="error">{error}</Notice>}
      {!data && !error && <SkeletonRows rows={6} label="Loading changes" />}
      {data?.length === 0 && (
        <p class="empty muted">
          {query === ''
            ? 'No changes yet. Every change to a site, a policy or the preamble will appear here.'
            : 'There are no such changes.'}
        </p>
      )}
      {byDay(data ?? []).map(({ day, entries }) => (
        <section key={day} aria-label={dayName(day, new Date())}>
          <h2 class="day small muted">{dayName(day, new Date())}</h2>
          <ol class="changes plain">
            {entries.map((entry) => (
              <EntryView key={entry.id} entry={entry} find={find} onUndone={undone} />
            ))}
          </ol>
        </section>
      ))}
      {older.error !== null && <Notice kind="error">{sentenceOf(older.error)}</Notice>}
      {full && (
        <p class="older">
          <button type="button" disabled={older.busy} onClick={() => older.run()}>
            {older.busy ? 'Loading …' : 'Older changes'}
          </button>
        </p>
      )}
    </>
  );
}
