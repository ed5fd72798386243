/** Goes to other filters; what counts is what the address says at that moment. */
import { navigate } from '../lib/router.ts';
import { addressOf, changed, type FilterKey, type Filters, parseFilters } from './filters.ts';

const current = (): Filters => parseFilters(new URLSearchParams(location.search));

/** Sets filters, on the first page; '' takes one off. */
export function filterBy(patch: Partial<Record<FilterKey, string>>, replace = false): void {
  const filters = current();
  const to = addressOf(changed(filters, patch));
  if (to !== addressOf(filters)) navigate(to, { replace });
}

/** Turns to a page; the filters stay. */
export function turnTo(patch: { page: number; pageSize?: number }): void {
  navigate(addressOf({ ...current(), ...patch }));
}

/** Turns pages on from where the address is, not from what has been loaded: two turns are two pages. */
export function turnBy(pages: 1 | -1, last: number): void {
  const page = Math.min(Math.max(current().page + pages, 1), last);
  if (page !== current().page) turnTo({ page });
}
