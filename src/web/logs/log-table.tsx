/** The table of requests, newest first, and its pages; on a narrow screen each row is a card. */

import type { ComponentChildren, VNode } from 'preact';
import { useId, useMemo, useRef } from 'preact/hooks';
import type { LogEntry, LogPage } from '../lib/types.ts';
import { Empty } from '../parts/empty.tsx';
import { clearFilters, turnBy, turnTo } from './filter/chips.tsx';
import { applied, type Filters, PAGE_SIZES } from './filter/filters.ts';
import { CELL, LogRow, ROW } from './log-row.tsx';
import type { PageRow, TailRow } from './tail-rows.ts';
import { useGrid } from './use-grid.ts';

// Explicit, as CELL and ROW are.
const GRID = { role: 'grid' } as const;
const GROUP = { role: 'rowgroup' } as const;
const HEAD = { role: 'columnheader' } as const;
const COLUMNS = [
  'Time',
  'Status',
  'Method',
  'Domain',
  'Path',
  'Latency',
  'IP address',
  'Proxy',
  'Details',
] as const;

type Props = {
  live: readonly TailRow[];
  page: readonly PageRow[];
  isBusy: boolean;
  onOpen: (entry: LogEntry) => void;
};

export function LogTable({ live, page, isBusy, onOpen }: Props) {
  const table = useRef<HTMLTableElement>(null);
  useGrid(table);
  // Preact skips a row whose node is the same as before.
  const nodes = useMemo(() => new WeakMap<object, VNode>(), []);
  const remembered = (of: object, draw: () => VNode): VNode => {
    const known = nodes.get(of) ?? draw();
    nodes.set(of, known);
    return known;
  };
  // Only in answers of several proxies.
  const hasProxy = [...live, ...page].some(
    (row) => 'entry' in row && row.entry.agent !== undefined,
  );
  const columns = COLUMNS.filter((label) => label !== 'Proxy' || hasProxy);
  return (
    <table
      ref={table}
      class={hasProxy ? 'log-table small log-several' : 'log-table small'}
      {...GRID}
      aria-label="Requests"
      aria-busy={isBusy}
    >
      <thead {...GROUP}>
        <tr {...ROW}>
          {columns.map((label) => (
            <th key={label} {...HEAD} scope="col">
              {label === 'Details' ? <span class="visually-hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...GROUP}>
        {live.map((row) =>
          remembered(row, () =>
            'entry' in row ? (
              <LogRow key={`live${row.id}`} entry={row.entry} onOpen={onOpen} />
            ) : (
              <Gap key={`live${row.id}`} missed={row.missed} />
            ),
          ),
        )}
        {page.map(({ entry, at }) =>
          remembered(entry, () => <LogRow key={`page${at}`} entry={entry} onOpen={onOpen} />),
        )}
      </tbody>
    </table>
  );
}

function Gap({ missed }: { missed: number | null }) {
  return (
    <tr {...ROW}>
      <td {...CELL} class="span muted" colSpan={COLUMNS.length}>
        {missed === null
          ? 'Requests were skipped: their log file is gone.'
          : missed === 1
            ? '1 request was skipped.'
            : `${missed.toLocaleString('en')} requests were skipped.`}
      </td>
    </tr>
  );
}

/** Explains an empty log page, and offers a way out. */
export function NoRows({ filters, data }: { filters: Filters; data: LogPage }) {
  if (data.total > 0 && data.page > 1) {
    return (
      <WayOut button="Show the newest requests" act={() => turnTo({ page: 1 })}>
        There is no page {number(data.page)}. The log is shorter.
      </WayOut>
    );
  }
  if (applied(filters).length > 0) {
    return (
      <WayOut button="Clear all filters" act={() => clearFilters(filters)}>
        No requests match these filters.
      </WayOut>
    );
  }
  return (
    <Empty>
      <p>The log is empty. Requests to your sites will appear here.</p>
    </Empty>
  );
}

type WayOutProps = { button: string; act: () => void; children: ComponentChildren };

const WayOut = ({ button, act, children }: WayOutProps) => (
  <div class="empty muted">
    <p>{children}</p>
    <button type="button" onClick={act}>
      {button}
    </button>
  </div>
);

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
    <nav class="row above" aria-label="Log pages">
      <button type="button" disabled={page <= 1} onClick={() => turnTo({ page: 1 })}>
        Newest
      </button>
      <button type="button" disabled={page <= 1} onClick={() => turnBy(-1, last)}>
        Newer
      </button>
      <button type="button" disabled={page >= last} onClick={() => turnBy(1, last)}>
        Older
      </button>
      <span class="numeric muted">
        Page {number(page)} of {number(last)}
      </span>
      <label class="end" for={id}>
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
