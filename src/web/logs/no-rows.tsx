/** Why there is nothing to see, and the way on. */

import type { LogPage } from '../lib/types.ts';
import { clearFilters } from './chips.tsx';
import { applied, type Filters } from './filters.ts';
import { turnTo } from './place.ts';

export function NoRows({ filters, data }: { filters: Filters; data: LogPage }) {
  if (data.total > 0 && data.page > 1) {
    return (
      <div class="empty">
        <p>There is no page {data.page.toLocaleString('en')}: the log ends before it.</p>
        <button type="button" onClick={() => turnTo({ page: 1 })}>
          Show the newest
        </button>
      </div>
    );
  }
  if (applied(filters).length > 0) {
    return (
      <div class="empty">
        <p>No request matches these filters.</p>
        <button type="button" onClick={() => clearFilters(filters)}>
          Clear all filters
        </button>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>There is no log yet. A request to one of your sites shows up here.</p>
    </div>
  );
}
