/** Explains an empty log page, and offers a way out. */
import type { LogPage } from '../lib/types.ts';
import { clearFilters } from './chips.tsx';
import { applied, type Filters } from './filters.ts';
import { turnTo } from './navigation.ts';

export function NoRows({ filters, data }: { filters: Filters; data: LogPage }) {
  if (data.total > 0 && data.page > 1) {
    return (
      <div class="empty">
        <p>There is no page {data.page.toLocaleString('en')}. The log is shorter.</p>
        <button type="button" onClick={() => turnTo({ page: 1 })}>
          Show the newest requests
        </button>
      </div>
    );
  }
  if (applied(filters).length > 0) {
    return (
      <div class="empty">
        <p>No requests match these filters.</p>
        <button type="button" onClick={() => clearFilters(filters)}>
          Clear all filters
        </button>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>The log is empty. Requests to your sites will appear here.</p>
    </div>
  );
}
