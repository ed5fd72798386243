/** The heads of the list's columns, by which it is sorted, with a box that selects all sites. */
import { Icon } from '../../parts/icon.tsx';
import { COLUMNS, type Column, directionOf, type Order } from './rows.ts';

export const COLUMN_LABELS: Record<Column, string> = {
  site: 'Site',
  upstream: 'Upstream',
  certificate: 'Certificate',
  requests: 'Requests, 1 h',
  latency: 'p95',
  uptime: 'Check',
  state: 'State',
};
const TITLES: Partial<Record<Column, string>> = {
  latency: '95 of 100 requests were answered faster',
  uptime: 'How the site answered its check: the last 24 hours above, the last 30 days below',
};
const GROUP = { role: 'rowgroup' } as const;
const ROW = { role: 'row' } as const;
const HEAD = { role: 'columnheader' } as const;

type Props = {
  order: Order;
  /** Only the box. */
  isPlain: boolean;
  canEdit: boolean;
  selected: 'none' | 'some' | 'all';
  onSort: (order: Order) => void;
  onSelect: (isSelected: boolean) => void;
};

export function ListHeads({ order, isPlain, canEdit, selected, onSort, onSelect }: Props) {
  if (isPlain && !canEdit) return null;
  return (
    <thead {...GROUP} class="site-heads">
      <tr {...ROW} aria-rowindex={1}>
        <th {...HEAD} scope="col" class="site-pick">
          {canEdit && (
            <label>
              <input
                type="checkbox"
                aria-label="Select all these sites"
                checked={selected === 'all'}
                indeterminate={selected === 'some'}
                onChange={(event) => onSelect(event.currentTarget.checked)}
              />
              {isPlain && <span aria-hidden="true">Select all</span>}
            </label>
          )}
        </th>
        {!isPlain && (
          <th {...HEAD} scope="col" class="site-switch">
            {canEdit && <span class="visually-hidden">Served</span>}
          </th>
        )}
        {!isPlain &&
          COLUMNS.map((column) => (
            <Head key={column} column={column} order={order} onSort={onSort} />
          ))}
        {!isPlain && (
          <th {...HEAD} scope="col" class="site-links">
            <span class="visually-hidden">Links</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

type HeadProps = Pick<Props, 'order' | 'onSort'> & { column: Column };

function Head({ column, order, onSort }: HeadProps) {
  const isSorted = order.column === column;
  const direction = directionOf(order);
  return (
    <th {...HEAD} scope="col" aria-sort={isSorted ? direction : undefined} title={TITLES[column]}>
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
}
