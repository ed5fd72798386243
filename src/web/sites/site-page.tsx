/** The pages of one site: to create it, and its tabs. */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { get, read } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { navigate, takeFlash, useTitle } from '../lib/router.ts';
import type { Vhost } from '../lib/types.ts';
import { useKey } from '../lib/use-browser.ts';
import { useLoad } from '../lib/use-load.ts';
import { siteFilter } from '../logs/filter/site-names.ts';
import { Log } from '../logs/logs-page.tsx';
import { Notice } from '../parts/notice.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { copyOf, draftOf, EMPTY } from './form/draft.ts';
import { SiteForm } from './form/site-form.tsx';
import { healthOf, outagesIn, problemsOf, reportedProblems } from './problem.ts';
import { SiteHead } from './site-head.tsx';
import { SiteNow } from './site-now.tsx';
import { useSiteState } from './use-states.ts';

export type SiteTab = 'now' | 'edit' | 'log' | 'history';

type Props = {
  id: number;
  tab: SiteTab;
  /** Of its address. */
  query: URLSearchParams;
  /** Lists the changes that a filter of the changelog finds. */
  History: ComponentType<{ query: string; onUndone: () => unknown }>;
};

export function SitePage({ id, tab, query, History }: Props) {
  const [flash] = useState(takeFlash);
  // Each tab loads it again: its form is only shown over the site as it is then.
  const stored = useLoad(`site ${id} ${tab}`, async (signal) => {
    return { ...(await read<Vhost>(`/vhosts/${id}`, signal)), of: tab };
  });
  const site = stored.data?.body;
  const state = useSiteState(id);
  const { status } = useHub();
  const canEdit = useCan('editor');
  const reload = () => Promise.all([stored.reload(), state.reload()]);
  const tabs = [
    { to: `/sites/${id}`, title: 'Now', name: 'now' },
    ...(canEdit ? [{ to: `/sites/${id}/edit`, title: 'Edit', name: 'edit' }] : []),
    { to: `/sites/${id}/log`, title: 'Log', name: 'log' },
    { to: `/sites/${id}/history`, title: 'History', name: 'history' },
  ].map(({ name, ...one }) => ({ ...one, isCurrent: name === tab }));
  const current = tabs.find(({ isCurrent }) => isCurrent);
  useTitle(site && (tab === 'now' ? site.domain : `${current?.title} · ${site.domain}`));
  useKey('e', () => canEdit && tab !== 'edit' && navigate(`/sites/${id}/edit`));
  const problem = reportedProblems(status).get(id);
  const [since] = problemsOf(status, id)
    .filter(({ level }) => level !== 'notice')
    .map((one) => one.since)
    .toSorted();
  return (
    <>
      {site ? (
        <SiteHead
          site={site}
          state={state.data}
          health={healthOf(site, problem, state.data, outagesIn(status))}
          since={since}
          isEdited={tab === 'edit'}
          onChanged={reload}
        />
      ) : (
        <h1>Site</h1>
      )}
      <Tabs label="Site" tabs={tabs} />
      {stored.error && <Notice kind="error" title={stored.error} />}
      {flash && tab === 'now' && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {site && tab === 'now' && (
        <SiteNow site={site} state={state} problem={problem} onChanged={reload} />
      )}
      {stored.data?.of === 'edit' && tab === 'edit' && (
        <SiteForm
          id={id}
          stored={stored.data}
          initial={draftOf(stored.data.body)}
          onStored={(now) => stored.set(() => ({ ...now, of: tab }))}
        />
      )}
      {site && tab === 'log' && <SiteLog site={site} query={query} />}
      {site && tab === 'history' && (
        <History
          key={site.domain}
          query={`domain=${encodeURIComponent(site.domain)}`}
          onUndone={reload}
        />
      )}
    </>
  );
}

function SiteLog({ site, query }: { site: Vhost; query: URLSearchParams }) {
  const domain = siteFilter(site);
  if (domain !== '') return <Log query={query} domain={domain} />;
  return (
    <p class="muted">
      This site serves names that are not its own, so its requests are only shown in the{' '}
      <a href="/logs">logs</a>, by name.
    </p>
  );
}

/** @param from the site that it starts as a copy of */
export function NewSite({ from }: { from: number | null }) {
  const pattern = useLoad(`pattern ${from}`, async (signal) =>
    from === null ? EMPTY : copyOf(await get<Vhost>(`/vhosts/${from}`, signal)),
  );
  return (
    <>
      <h1 class="page-head">New site</h1>
      {pattern.error && <Notice kind="error" title={pattern.error} />}
      {pattern.data && <SiteForm id={null} stored={null} initial={pattern.data} />}
    </>
  );
}
