/** Requests, newest first: a grid on a wide screen, cards on a narrow one. */
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { LogEntry } from '../lib/types.ts';
import { CELL, LogRow, ROW } from './log-row.tsx';
import type { PageRow, TailRow } from './tail-rows.ts';
import { useGrid } from './use-grid.ts';

// As with CELL and ROW.
const GRID = { role: 'grid' } as const;
const GROUP = { role: 'rowgroup' } as const;
const HEAD = { role: 'columnheader' } as const;
const COLUMNS = ['Time', 'Status', 'Method', 'Domain', 'Path', 'Latency', 'Address'] as const;

type Props = {
  live: readonly TailRow[];
  page: readonly PageRow[];
  isBusy: boolean;
  onWhole: (entry: LogEntry) => void;
};

export function LogTable({ live, page, isBusy, onWhole }: Props) {
  const table = useRef<HTMLTableElement>(null);
  useGrid(table);
  // A row that was drawn once and has not changed is not looked at again.
  const drawn = useMemo(() => new WeakMap<object, VNode>(), []);
  const remembered = (of: object, draw: () => VNode): VNode => {
    const known = drawn.get(of) ?? draw();
    drawn.set(of, known);
    return known;
  };
  return (
    <table ref={table} class="log-table" {...GRID} aria-label="Requests" aria-busy={isBusy}>
      <thead {...GROUP}>
        <tr {...ROW}>
          {COLUMNS.map((label) => (
            <th key={label} {...HEAD} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...GROUP}>
        {live.map((row) =>
          remembered(row, () =>
            'entry' in row ? (
              <LogRow key={`live${row.id}`} entry={row.entry} onWhole={onWhole} />
            ) : (
              <Gap key={`live${row.id}`} missed={row.missed} />
            ),
          ),
        )}
        {page.map(({ entry, at }) =>
          remembered(entry, () => <LogRow key={`page${at}`} entry={entry} onWhole={onWhole} />),
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
          ? 'Entries were skipped: the log they stood in is gone.'
          : missed === 1
            ? '1 entry was skipped.'
            : `${missed.toLocaleString('en')} entries were skipped.`}
      </td>
    </tr>
  );
}
