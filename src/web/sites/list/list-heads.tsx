/** The heads of the list's columns, by which it is sorted, with a box that selects all sites. */
import { Icon } from '../../parts/icon.tsx';
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
        const direction = directionOf(order);
        return (
          <th
            key={column}
            {...HEAD}
            scope="col"
            class={`site-${column}`}
            aria-sort={isSorted ? direction : undefined}
            title={TITLES[column]}
          >
            <button
              type="button"
              class="sort"
              onClick={() => onSort({ column, isReversed: isSorted && !order.isReversed })}
            >
              {COLUMN_LABELS[column]}
              {isSorted && <Icon name={direction} />}
            </button>
          </th>
        );
      })}
      <th {...HEAD} scope="col" class="site-menu">
        <span class="visually-hidden">Actions</span>
      </th>
    </tr>
  </thead>
);
