/** The list of all sites: problems first, with search, filters, and changes to several at once. */

import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { get } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useHub, usePublishes } from '../../lib/hub.ts';
import { useCan } from '../../lib/roles.ts';
import { navigate, takeFlash } from '../../lib/router.ts';
import type { Policy, Vhost } from '../../lib/types.ts';
import { useMedia } from '../../lib/use-browser.ts';
import { useLoad } from '../../lib/use-load.ts';
import { Empty } from '../../parts/empty.tsx';
import { SkeletonRows } from '../../parts/loading.tsx';
import { Notice, WithoutRequests } from '../../parts/notice.tsx';
import { hasLabels, TagChip } from '../labels.tsx';
import { type Outages, outagesIn, reportedProblems, type SiteProblem } from '../problem.ts';
import { useStates } from '../use-states.ts';
import { isShown, NO_FILTER, queryOf, readFilter, type SiteFilter, searchRows } from './filter.ts';
import { ListHeads } from './list-heads.tsx';
import { ListTools } from './list-tools.tsx';
import { groupedLines, keyOfLine, plainLines, type Row, rowOf, sortRows, tagsIn } from './rows.ts';
import { type Done, DoneNote, SelectionBar } from './selection-bar.tsx';
import { SiteRow } from './site-row.tsx';
import { VirtualRows } from './virtual-rows.tsx';

/** There is room for one line per site, with a column for each figure. */
const ROOMY = '(min-width: 1100px)';
/** Pixels. */
const ROW_HEIGHT = { columns: 46, stacked: 80 };
/** More, if a site has policies, tags or the like. */
const LABELS_HEIGHT = { columns: 6, stacked: 26 };
// CSS grid removes a table's implicit roles, so they are set explicitly.
const TABLE = { role: 'table' } as const;

/** The ids of the sites to which a policy applies, also one that applies to every site. */
async function guardedBy(name: string, signal: AbortSignal): Promise<number[] | undefined> {
  if (name === '') return undefined;
  const policies = await get<Policy[]>('/policies', signal);
  return policies.find((one) => one.name === name)?.vhosts;
}

export function SiteList({ query }: { query: URLSearchParams }) {
  const { status, refresh } = useHub();
  const canEdit = useCan('editor');
  const filter = readFilter(query);
  const { search, shown, tag, policy, agent, source, isGrouped } = filter;
  const publishes = usePublishes();
  // A publish, even someone else's, may have changed any site.
  const sites = useLoad(`sites ${publishes}`, (signal) => get<Vhost[]>('/vhosts', signal));
  const guarded = useLoad(`guarded ${policy} ${publishes}`, (signal) => guardedBy(policy, signal));
  const { states, activity, missing, uptime } = useStates(publishes);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [flash] = useState(takeFlash);
  const [done, setDone] = useState<Done | null>(flash?.done ?? null);
  const layout = useMedia(ROOMY) ? 'columns' : 'stacked';

  const change = (next: Partial<SiteFilter>) =>
    navigate(`${location.pathname}${queryOf({ ...filter, ...next })}`, { replace: true });
  const { column, isReversed } = filter.order;
  // As a text: the status is a new object every few seconds, but what it reports seldom changes.
  const reported = JSON.stringify([outagesIn(status), [...reportedProblems(status)]]);
  const all = useMemo(() => {
    const [outages, problems]: [Outages, [number, SiteProblem][]] = JSON.parse(reported);
    const facts = { outages, reported: new Map(problems), states, activity, uptime };
    return (sites.data ?? []).map((site) => rowOf(site, facts));
  }, [sites.data, reported, states, activity, uptime]);
  const sorted = useMemo(() => sortRows(all, { column, isReversed }), [all, column, isReversed]);
  const found = useMemo(
    () => searchRows(sorted, { search, tag, policy, agent, source, guarded: guarded.data }),
    [sorted, search, tag, policy, agent, source, guarded.data],
  );
  const rows = found.filter((row) => isShown(row, shown));
  const lines = isGrouped ? groupedLines(rows) : plainLines(rows);
  const isTall = rows.some(({ site }) => hasLabels(site));
  // What is not in sight is not changed.
  const chosen = rows.filter(({ site }) => selected.has(site.id)).map(({ site }) => site);

  const select = (ids: readonly number[], isSelected: boolean) => {
    setSelected((old) => {
      const next = new Set(old);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
    setDone(null);
  };
  const changed = async () => {
    refresh();
    await sites.reload();
  };
  const toggled = (site: Vhost, next: Done | null) => {
    sites.set((all) => all?.map((other) => (other.id === site.id ? site : other)));
    setDone(next);
  };
  // Preact skips a row whose node is the same as before; scrolling changes none.
  const nodes = useMemo(() => new WeakMap<Row, VNode>(), [layout, selected, search, canEdit]);
  const draw = (row: Row): VNode => {
    const node = nodes.get(row) ?? (
      <SiteRow
        row={row}
        layout={layout}
        search={search}
        canEdit={canEdit}
        isSelected={selected.has(row.site.id)}
        onSelect={(isSelected) => select([row.site.id], isSelected)}
        onToggled={toggled}
      />
    );
    nodes.set(row, node);
    return node;
  };
  const total = sites.data?.length ?? 0;

  return (
    <>
      <div class="page-head row">
        <h1>Sites</h1>
        {canEdit && (
          <a class="button primary" href="/sites/new">
            New site
          </a>
        )}
      </div>
      <ListTools
        filter={filter}
        found={found}
        tags={tagsIn(all)}
        hasHeads={layout === 'columns'}
        onChange={change}
      />
      {flash && (flash.kind === 'warning' || !flash.done) && (
        <Notice kind={flash.kind}>{flash.text}</Notice>
      )}
      {sites.error && <Notice kind="error" title={sites.error} />}
      <p class="site-count muted small" role="status">
        {sites.data &&
          (rows.length === total
            ? plural(total, 'site')
            : `${rows.length} of ${plural(total, 'site')}`)}
      </p>
      <WithoutRequests from={missing} />
      {!sites.data && !sites.error && <SkeletonRows rows={10} label="Loading sites" />}
      {rows.length > 0 && (
        <table
          {...TABLE}
          class={`sites sites-${layout}${canEdit ? '' : ' sites-read'}`}
          aria-label="Sites"
          aria-rowcount={lines.length + 1}
        >
          <ListHeads
            order={filter.order}
            isPlain={layout === 'stacked'}
            canEdit={canEdit}
            selected={chosen.length === 0 ? 'none' : chosen.length < rows.length ? 'some' : 'all'}
            onSort={(order) => change({ order })}
            onSelect={(isSelected) =>
              select(
                rows.map(({ site }) => site.id),
                isSelected,
              )
            }
          />
          <VirtualRows
            items={lines}
            rowHeight={ROW_HEIGHT[layout] + (isTall ? LABELS_HEIGHT[layout] : 0)}
            keyOf={keyOfLine}
            isMarked={(line) => line.kind === 'site' && selected.has(line.row.site.id)}
          >
            {(line) => (line.kind === 'site' ? draw(line.row) : <GroupHead {...line} />)}
          </VirtualRows>
        </table>
      )}
      {chosen.length > 0 && (
        <SelectionBar
          sites={chosen}
          onClear={() => setSelected(new Set())}
          onDone={async (next) => {
            setSelected(new Set());
            setDone(next);
            await changed();
          }}
        />
      )}
      <DoneNote
        key={done?.group}
        done={chosen.length === 0 ? done : null}
        onUndone={changed}
        onClose={() => setDone(null)}
      />
      {sites.data && total === 0 && (
        <Empty>
          <p>{canEdit ? 'You have no sites yet.' : 'There are no sites yet.'}</p>
          {canEdit && (
            <p>
              <a href="/sites/new">Create your first site</a>, or{' '}
              <a href="/import">import your Caddyfile</a>.
            </p>
          )}
        </Empty>
      )}
      {total > 0 && rows.length === 0 && (
        <div class="card empty muted">
          <p>No sites match.</p>
          <button type="button" onClick={() => change(NO_FILTER)}>
            Show all sites
          </button>
        </div>
      )}
    </>
  );
}

const CELL = { role: 'cell' } as const;

type Props = { tag: string | null; count: number };

/** The line above the sites of a tag. */
const GroupHead = ({ tag, count }: Props) => (
  <td {...CELL} class="site-group span">
    {tag === null ? <strong>Without a tag</strong> : <TagChip tag={tag} />}
    <span class="muted">{plural(count, 'site')}</span>
  </td>
);
