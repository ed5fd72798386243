/** Pages through the log. */
import { useId } from 'preact/hooks';
import type { LogPage } from '../lib/types.ts';
import { PAGE_SIZES } from './filters.ts';
import { turnBy, turnTo } from './navigation.ts';

const number = (value: number): string => value.toLocaleString('en');

/** The requests shown, `1–50 of 12,345`. */
export function extent({ logs, total, page, pageSize, partial }: LogPage): string {
  const first = (page - 1) * pageSize + 1;
  const all = `${number(total)}${partial ? ' or more' : ''}`;
  return logs.length === 0
    ? `0 of ${all}`
    : `${number(first)}–${number(first + logs.length - 1)} of ${all}`;
}

export const lastPage = ({ total, pageSize }: LogPage): number =>
  Math.max(1, Math.ceil(total / pageSize));

export function Pager({ data }: { data: LogPage }) {
  const id = useId();
  const { page, pageSize } = data;
  const last = lastPage(data);
  return (
    <nav class="log-pager" aria-label="Log pages">
      <button type="button" disabled={page <= 1} onClick={() => turnTo({ page: 1 })}>
        Newest
      </button>
      <button type="button" disabled={page <= 1} onClick={() => turnBy(-1, last)}>
        Newer
      </button>
      <button type="button" disabled={page >= last} onClick={() => turnBy(1, last)}>
        Older
      </button>
      <span class="muted">
        Page {number(page)} of {number(last)}
      </span>
      <label class="log-size" for={id}>
        Rows
      </label>
      <select
        id={id}
        value={pageSize}
        onChange={(event) => turnTo({ page: 1, pageSize: Number(event.currentTarget.value) })}
      >
        {PAGE_SIZES.map((size) => (
          <option key={size} value={size}>
            {size}
          </option>
        ))}
      </select>
    </nav>
  );
}
