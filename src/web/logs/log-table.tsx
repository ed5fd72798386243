/** The table of requests, newest first; on a narrow screen each row is a card. */
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { LogEntry } from '../lib/types.ts';
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
      class={hasProxy ? 'log-table log-several' : 'log-table'}
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
    <tr {...ROW} class="log-gap">
      <td {...CELL} colSpan={COLUMNS.length}>
        {missed === null
          ? 'Requests were skipped: their log file is gone.'
          : missed === 1
            ? '1 request was skipped.'
            : `${missed.toLocaleString('en')} requests were skipped.`}
      </td>
    </tr>
  );
}
