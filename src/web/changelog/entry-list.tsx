/** The changes that meet a filter, grouped by day, page by page. */
import { useEffect, useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Entry, Group } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { alone, byDay, dayName, merged, summaryIn } from './describe.ts';
import { EntryView } from './entry-view.tsx';
import { GroupView } from './group-view.tsx';
import type { Find } from './undo.tsx';

/** Entries, or groups, per page of the API. */
const PAGE = 100;

/** @param query the filter, as in an address; empty: all changes */
export function EntryList({ query }: { query: string }) {
  const hub = useHub();
  const isGroup = new URLSearchParams(query).has('group');
  const [full, setFull] = useState(false);
  const page = async (before: number | null, signal?: AbortSignal): Promise<Group[]> => {
    const path = `/changelog?${query}${before === null ? '' : `&before=${before}`}`;
    if (!isGroup) return get<Group[]>(`${path}&grouped=true`, signal);
    return (await get<Entry[]>(path, signal)).map(alone);
  };
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
    const more = await page(data?.at(-1)?.group ?? null);
    setFull(more.length === PAGE);
    set((old) => [...(old ?? []), ...more]);
  });
  const find: Find = (id) => {
    const group = data?.find(({ entries }) => entries.some((entry) => entry.id === id));
    const entry = group?.entries.find((one) => one.id === id);
    return entry && { entry, isAlone: group?.count === 1 };
  };

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
            {entries.map((group) => {
              const [entry] = group.entries;
              const page = { find, onUndone: undone };
              return group.count > 1 || !entry ? (
                <GroupView key={group.group} group={group} {...page} />
              ) : (
                <EntryView key={group.group} entry={entry} {...summaryIn(group)} {...page} />
              );
            })}
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
