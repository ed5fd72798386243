/** The changelog page: all changes, newest first, filtered by site, person and kind of change. */
import { EntryList } from './entry-list.tsx';
import { type ChangeFilter, queryOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';

export function Changelog({ filter }: { filter: ChangeFilter }) {
  const query = queryOf(filter);
  return (
    <>
      <div class="page-head row">
        <h1>Changelog</h1>
      </div>
      <FilterBar filter={filter} />
      <EntryList key={query} query={query} />
    </>
  );
}
