/** The pages of one site: to create it, and its state, figures and requests above its form. */
import { useState } from 'preact/hooks';
import { SITE_SECTIONS } from '../features.ts';
import { get, read } from '../lib/api.ts';
import { silentIn, useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { takeFlash, useTitle } from '../lib/router.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { anyOf, logsOf } from '../logs/filter/filters.ts';
import { hostsOf, siteFilter } from '../logs/filter/site-names.ts';
import { lazy } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { copyOf, draftOf, EDIT, EMPTY, useEditKey } from './form/draft.ts';
import { hasLabels, SiteLabels } from './labels.tsx';
import { healthOf, outagesIn, reportedProblems } from './problem.ts';
import { SiteTraffic } from './site-traffic.tsx';
import { StatePanel } from './state-panel.tsx';
import { useSiteState } from './use-states.ts';

export function SitePage({ id }: { id: number }) {
  const [flash] = useState(takeFlash);
  const stored = useLoad(`site ${id}`, (signal) => read<Vhost>(`/vhosts/${id}`, signal));
  const site = stored.data?.body;
  const state = useSiteState(id);
  const { status, agents } = useHub();
  const problem = reportedProblems(status).get(id);
  const known = status?.problems.filter(
    ({ known: isKnown, vhost, vhosts = [vhost] }) =>
      isKnown && vhosts.some((one) => one?.id === id),
  );
  const hosts = site ? hostsOf(site, state.data) : [];
  const [chosen, setChosen] = useState('');
  const all = anyOf(hosts);
  const host = hosts.includes(chosen) ? chosen : all || (hosts[0] ?? '');
  const log = site ? siteFilter(site) : '';
  const canEdit = useCan('editor');
  // After a change made elsewhere on the page, the form starts again from what is stored.
  const [changes, setChanges] = useState(0);
  const reload = async () => {
    await Promise.all([stored.reload(), state.reload()]);
    setChanges((before) => before + 1);
  };
  useEditKey(canEdit && site !== undefined);
  useTitle(site?.domain);
  return (
    <>
      <div class="page-head row">
        <h1>{site?.domain ?? 'Site'}</h1>
        {site && (
          <>
            {canEdit && (
              <a class="button" href={`#${EDIT}`} title="Edit (E)">
                Edit
              </a>
            )}
            <a class="button" href={logsOf({ domain: log })}>
              Logs
            </a>
            <a class="button" href={`/changelog?domain=${encodeURIComponent(site.domain)}`}>
              History
            </a>
          </>
        )}
      </div>
      {site && hasLabels(site) && (
        <p class="site-labels line">
          <SiteLabels site={site} />
        </p>
      )}
      {flash && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {stored.error && <Notice kind="error" title={stored.error} />}
      {stored.data && site && (
        <>
          <StatePanel
            state={state}
            problem={problem}
            known={known ?? []}
            silent={silentIn(agents)}
            health={healthOf(site, problem, undefined, outagesIn(status))}
          />
          {SITE_SECTIONS.map((Section) => (
            <Section key={Section.name} site={site} onChanged={reload} />
          ))}
          {hosts.length > 1 && (
            <label class="row below">
              Requests to
              <select value={host} onChange={(event) => setChosen(event.currentTarget.value)}>
                {all !== '' && <option value={all}>all names</option>}
                {hosts.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          )}
          {host === '' ? (
            <p class="muted">
              This site serves more than one name of its own, so its requests are only shown in the{' '}
              <a href="/logs">logs</a>, by name.
            </p>
          ) : (
            <SiteTraffic key={host} host={host} domain={site.domain} />
          )}
          {canEdit && (
            <SiteForm
              key={changes}
              id={id}
              stored={stored.data}
              initial={draftOf(site)}
              onStored={(now) => stored.set(() => now)}
            />
          )}
        </>
      )}
    </>
  );
}

/** @param from the site that it starts as a copy of */
export function NewSite({ from }: { from: number | null }) {
  const pattern = useLoad(`pattern ${from}`, async (signal) =>
    from === null ? EMPTY : copyOf(await get<Vhost>(`/vhosts/${from}`, signal)),
  );
  return (
    <>
      <div class="page-head row">
        <h1>New site</h1>
      </div>
      {pattern.error && <Notice kind="error" title={pattern.error} />}
      {pattern.data && <SiteForm id={null} stored={null} initial={pattern.data} />}
    </>
  );
}

/** The form of a site, loaded when it is first shown. */
const SiteForm = lazy(async () => (await import('./form/site-form.tsx')).SiteForm);
