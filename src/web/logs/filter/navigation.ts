/** Changes filters and pages, starting from what the address says at that moment. */
import { navigate } from '../../lib/router.ts';
import { addressOf, changed, type FilterKey, type Filters, parseFilters } from './filters.ts';

const current = (): Filters => parseFilters(new URLSearchParams(location.search));

/** Sets filters and goes to the first page; '' removes a filter. */
export function filterBy(patch: Partial<Record<FilterKey, string>>, replace = false): void {
  const filters = current();
  const to = addressOf(changed(filters, patch));
  if (to !== addressOf(filters)) navigate(to, { replace });
}

/** Goes to a page, with the same filters. */
export function turnTo(patch: { page: number; pageSize?: number }): void {
  navigate(addressOf({ ...current(), ...patch }));
}

/** Goes one page on from the address, even if that page is still loading. @param last the last page */
export function turnBy(pages: 1 | -1, last: number): void {
  const page = Math.min(Math.max(current().page + pages, 1), last);
  if (page !== current().page) turnTo({ page });
}
