/** The active filters, each with a button that removes it. */
import { localTime } from '../../lib/format.ts';
import { navigate } from '../../lib/router.ts';
import { shown } from '../hostile.ts';
import { addressOf, applied, type Filters, NO_FILTERS } from './filters.ts';
import { filterBy } from './navigation.ts';

/** Removes all filters; the page size stays. */
export const clearFilters = ({ pageSize }: Filters): void =>
  navigate(addressOf({ ...NO_FILTERS, pageSize }));

export function Chips({ filters }: { filters: Filters }) {
  const active = applied(filters);
  if (active.length === 0) return null;
  return (
    <ul class="log-chips flow plain" aria-label="Active filters">
      {active.map(({ key, label, value }) => {
        const text = key === 'from' || key === 'to' ? localTime(value) : shown(value, 60);
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
