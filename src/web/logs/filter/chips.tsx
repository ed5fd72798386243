/** The active filters, each with a button that removes it, and how other parts change them. */
import { localTime } from '../../lib/format.ts';
import { navigate } from '../../lib/router.ts';
import { shown } from '../values.tsx';
import {
  addressOf,
  applied,
  changed,
  type FilterKey,
  type Filters,
  NO_FILTERS,
  parseFilters,
} from './filters.ts';
import { namesIn } from './site-names.ts';

/** Removes all filters; the page size stays. */
export const clearFilters = ({ pageSize }: Filters): void =>
  navigate(hereWith({ ...NO_FILTERS, pageSize }));

export function Chips({ filters }: { filters: Filters }) {
  const active = applied(filters);
  if (active.length === 0) return null;
  return (
    <ul class="chips row plain below" aria-label="Active filters">
      {active.map(({ key, label, value }) => {
        const isTime = key === 'from' || key === 'to';
        const text = isTime
          ? localTime(value)
          : shown(key === 'domain' ? namesIn(value) : value, 60);
        return (
          <li key={key}>
            <button
              type="button"
              aria-label={`Remove the filter ${label} ${text}`}
              onClick={() => filterBy({ [key]: '' })}
            >
              <span class="muted">{label}</span> <bdi dir="ltr">{text}</bdi>
              <span aria-hidden="true">×</span>
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" class="link" onClick={() => clearFilters(filters)}>
          Clear all filters
        </button>
      </li>
    </ul>
  );
}

const current = (): Filters => parseFilters(new URLSearchParams(location.search));

/** In the log of a site, if that is shown. */
const hereWith = (filters: Filters): string =>
  addressOf(filters, location.pathname.endsWith('/log') ? location.pathname : '/logs');

/** Sets filters and goes to the first page; '' removes a filter. */
export function filterBy(patch: Partial<Record<FilterKey, string>>, replace = false): void {
  const filters = current();
  const to = hereWith(changed(filters, patch));
  if (to !== hereWith(filters)) navigate(to, { replace });
}

/** Goes to a page, with the same filters. */
export function turnTo(patch: { page: number; pageSize?: number }): void {
  navigate(hereWith({ ...current(), ...patch }));
}

/** Goes one page on from the address, even if that page is still loading. @param last the last page */
export function turnBy(pages: 1 | -1, last: number): void {
  const page = Math.min(Math.max(current().page + pages, 1), last);
  if (page !== current().page) turnTo({ page });
}
