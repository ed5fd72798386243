/** The heads of the list's columns, by which it is sorted, with a box that selects all sites. */
import { SortHead } from '../../parts/sort-head.tsx';
import { Tick } from '../../parts/tick.tsx';
import { COLUMNS, type Column, directionOf, type Order } from './rows.ts';

export const COLUMN_LABELS: Record<Column, string> = {
  state: 'State',
  site: 'Site',
  upstream: 'Upstream',
  history: 'History',
  requests: 'Requests, 1 h',
  latency: 'p95',
};
const TITLES: Partial<Record<Column, string>> = {
  history: 'The site that failed most comes first',
  latency: '95 of 100 requests were answered faster',
};
const GROUP = { role: 'rowgroup' } as const;
const ROW = { role: 'row' } as const;
const HEAD = { role: 'columnheader' } as const;

type Props = {
  order: Order;
  /** How many sites are; null if none can be. */
  selected: { chosen: number; of: number } | null;
  onSort: (order: Order) => void;
  onSelect: (isSelected: boolean) => void;
};

export const ListHeads = ({ order, selected, onSort, onSelect }: Props) => (
  <thead {...GROUP}>
    <tr {...ROW} aria-rowindex={1}>
      {selected && (
        <th {...HEAD} scope="col" class="site-pick">
          <Tick
            label="Select all these sites"
            checked={selected.chosen === selected.of}
            indeterminate={selected.chosen > 0 && selected.chosen < selected.of}
            onTick={onSelect}
          />
        </th>
      )}
      {COLUMNS.map((column) => {
        const isSorted = order.column === column;
        return (
          <SortHead
            key={column}
            {...HEAD}
            class={`site-${column}`}
            title={TITLES[column]}
            label={COLUMN_LABELS[column]}
            direction={isSorted ? directionOf(order) : undefined}
            onSort={() => onSort({ column, isReversed: isSorted && !order.isReversed })}
          />
        );
      })}
      <th {...HEAD} scope="col" class="site-menu">
        <span class="visually-hidden">Actions</span>
      </th>
    </tr>
  </thead>
);
