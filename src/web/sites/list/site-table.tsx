/** The table of the list: a line per site, or a card on phones, in groups if it is grouped by tag. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { plural } from '../../lib/format.ts';
import type { Vhost } from '../../lib/types.ts';
import { useMedia } from '../../lib/use-browser.ts';
import { TagChip } from '../labels.tsx';
import type { Action } from './actions.tsx';
import type { SiteFilter } from './filter.ts';
import { ListHeads } from './list-heads.tsx';
import {
  groupedLines,
  keyOfLine,
  type Order,
  plainLines,
  type Row,
  reasonOf,
  sharedReasons,
} from './rows.ts';
import { SiteRow } from './site-row.tsx';
import { VirtualRows } from './virtual-rows.tsx';

/** Of the style sheet: there is room for one line per site. */
export const ROOMY = '(min-width: 900px)';
/** Pixels, as in the style sheet: of a row, and of what a reason adds. */
const HEIGHTS = { columns: { row: 40, reason: 18 }, cards: { row: 64, reason: 36 } };
// The style sheet removes a table's implicit roles, so they are set explicitly.
const TABLE = { role: 'table' } as const;
const CELL = { role: 'cell' } as const;

type Props = {
  rows: readonly Row[];
  filter: SiteFilter;
  canEdit: boolean;
  /** Ids. */
  selected: ReadonlySet<number>;
  onSort: (order: Order) => void;
  onSelect: (id: number, isSelected: boolean) => void;
  onSelectAll: (isSelected: boolean) => void;
  onAct: (action: Action, site: Vhost) => void;
};

export function SiteTable(props: Props) {
  const { rows, filter, canEdit, selected, onSort, onSelect, onSelectAll, onAct } = props;
  const { search, order, isGrouped } = filter;
  const layout = useMedia(ROOMY) ? 'columns' : 'cards';
  const height = HEIGHTS[layout];
  const lines = isGrouped ? groupedLines(rows) : plainLines(rows);
  const shared = sharedReasons(rows);
  const ownReason = (row: Row) => (shared.has(reasonOf(row)) ? '' : reasonOf(row));
  const chosen = rows.filter(({ site }) => selected.has(site.id)).length;

  // Preact skips a row whose node is the same as before; scrolling changes none.
  const reasons = [...shared.keys()].join();
  const nodes = useMemo(() => new WeakMap<Row, VNode>(), [selected, search, canEdit, reasons]);
  const draw = (row: Row): VNode => {
    const { site } = row;
    const node = nodes.get(row) ?? (
      <SiteRow
        row={row}
        reason={ownReason(row)}
        search={search}
        canEdit={canEdit}
        isSelected={selected.has(site.id)}
        onSelect={(isSelected) => onSelect(site.id, isSelected)}
        onAct={(action) => onAct(action, site)}
      />
    );
    nodes.set(row, node);
    return node;
  };

  return (
    <table
      {...TABLE}
      class={`sites sites-${layout}`}
      aria-label="Sites"
      aria-rowcount={lines.length + 1}
    >
      {layout === 'columns' && (
        <ListHeads
          order={order}
          selected={canEdit ? { chosen, of: rows.length } : null}
          onSort={onSort}
          onSelect={onSelectAll}
        />
      )}
      <VirtualRows
        items={lines}
        keyOf={keyOfLine}
        heightOf={(line) =>
          line.kind === 'site' && ownReason(line.row) !== ''
            ? height.row + height.reason
            : height.row
        }
        classOf={(line) => (line.kind === 'site' ? classOf(line.row, selected) : '')}
      >
        {(line) => (line.kind === 'site' ? draw(line.row) : <GroupHead {...line} />)}
      </VirtualRows>
    </table>
  );
}

/** Characters of name and upstream that fit beside each other in their columns; longer ones take what room there is. */
const FITTING = 40;

function classOf({ site, upstreams }: Row, selected: ReadonlySet<number>): string {
  const { length } = `${site.domain}${upstreams?.join(', ') ?? ''}`;
  const names = [
    selected.has(site.id) && 'marked',
    length <= FITTING && 'aligned',
    !site.enabled && 'is-off',
  ];
  return names.filter(Boolean).join(' ');
}

type GroupProps = { tag: string | null; count: number };

/** The line above the sites of a tag. */
const GroupHead = ({ tag, count }: GroupProps) => (
  <td {...CELL} class="site-group">
    {tag === null ? <strong>Without a tag</strong> : <TagChip tag={tag} />}{' '}
    <span class="muted">{plural(count, 'site')}</span>
  </td>
);
