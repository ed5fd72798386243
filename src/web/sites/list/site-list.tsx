/** The list of all sites: problems first, with search, filters, and changes to one or several at once. */
import { useState } from 'preact/hooks';
import { plural } from '../../lib/format.ts';
import { useHub } from '../../lib/hub.ts';
import { toggle as toggleSite } from '../../lib/relabel.ts';
import { useCan } from '../../lib/roles.ts';
import { navigate, takeFlash } from '../../lib/router.ts';
import type { Vhost } from '../../lib/types.ts';
import { useKept } from '../../lib/use-browser.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { Empty } from '../../parts/empty.tsx';
import { SkeletonRows } from '../../parts/loading.tsx';
import { Notice, WithoutRequests } from '../../parts/notice.tsx';
import { type Action, ActionDialog, type Done, RefusedDialog } from './actions.tsx';
import { NO_FILTER, queryOf, readFilter, type SiteFilter } from './filter.ts';
import { ListTools } from './list-tools.tsx';
import { tagsIn } from './rows.ts';
import { DoneNote, SelectionBar } from './selection-bar.tsx';
import { SharedReasons } from './shared-reasons.tsx';
import { SiteTable } from './site-table.tsx';
import { useRows } from './use-rows.ts';

export function SiteList({ query }: { query: URLSearchParams }) {
  const { refresh } = useHub();
  const canEdit = useCan('editor');
  const filter = readFilter(query);
  const [isMonth, setMonth] = useKept('sites-month', false);
  const span = isMonth ? 'month' : 'day';
  const { sites, all, found, rows, missing } = useRows(filter, span);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [flash] = useState(takeFlash);
  const [done, setDone] = useState<Done | null>(flash?.done ?? null);
  const [asked, setAsked] = useState<{ action: Action; sites: readonly Vhost[] } | null>(null);
  const [switched, setSwitched] = useState<Vhost | null>(null);
  // What is not in sight is not changed.
  const chosen = rows.filter(({ site }) => selected.has(site.id)).map(({ site }) => site);
  const total = sites.data?.length ?? 0;

  const change = (next: Partial<SiteFilter>) =>
    navigate(`${location.pathname}${queryOf({ ...filter, ...next })}`, { replace: true });
  const select = (ids: readonly number[], isSelected: boolean) => {
    setSelected((old) => {
      const next = new Set(old);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
    setDone(null);
  };
  const selectAll = (isSelected: boolean) => {
    const ids = rows.map(({ site }) => site.id);
    select(ids, isSelected);
  };
  const changed = async () => {
    refresh();
    await sites.reload();
  };
  const finish = async (next: Done) => {
    setSelected(new Set());
    setDone(next);
    await changed();
  };
  const toggle = useSubmit(async (site: Vhost) => {
    setSwitched(site);
    const { site: now, group } = await toggleSite(site);
    sites.set((before) => before?.map((other) => (other.id === now.id ? now : other)));
    const words = `${now.domain} turned ${now.enabled ? 'on' : 'off'}`;
    // Without a group, somebody else has switched it before.
    setDone(group === null ? null : { words, group });
  });

  return (
    <>
      <ListTools
        filter={filter}
        found={found}
        tags={tagsIn(all)}
        span={span}
        onChange={change}
        onSpan={(next) => setMonth(next === 'month')}
      />
      {flash && (flash.kind === 'warning' || !flash.done) && (
        <Notice kind={flash.kind}>{flash.text}</Notice>
      )}
      {sites.error && <Notice kind="error" title={sites.error} />}
      <p
        class={`site-count ${rows.length === total ? 'visually-hidden' : 'small muted'}`}
        role="status"
      >
        {sites.data &&
          (rows.length === total
            ? plural(total, 'site')
            : `${rows.length} of ${plural(total, 'site')}`)}
      </p>
      <SharedReasons rows={rows} />
      <WithoutRequests from={missing} />
      {!sites.data && !sites.error && <SkeletonRows rows={10} label="Loading sites" />}
      {rows.length > 0 && (
        <SiteTable
          rows={rows}
          filter={filter}
          canEdit={canEdit}
          selected={selected}
          onSort={(order) => change({ order })}
          onSelect={(id, isSelected) => select([id], isSelected)}
          onSelectAll={selectAll}
          onAct={(action, site) =>
            action === 'delete' ? setAsked({ action, sites: [site] }) : toggle.run(site)
          }
        />
      )}
      {chosen.length > 0 && (
        <SelectionBar
          sites={chosen}
          shown={rows.length}
          onAll={() => selectAll(true)}
          onClear={() => setSelected(new Set())}
          onAct={(action) => setAsked({ action, sites: chosen })}
          onDone={finish}
        />
      )}
      {asked && <ActionDialog {...asked} onClose={() => setAsked(null)} onDone={finish} />}
      {switched && toggle.error !== null && (
        <RefusedDialog site={switched} error={toggle.error} onClose={toggle.clear} />
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
