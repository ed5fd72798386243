/** The list of all sites, with search and filters. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { navigate } from '../lib/router.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { addressOf, filterSites, readFilter, SHOWN, type Shown } from './filter.ts';
import { problemOf } from './problem.ts';
import { SiteRow } from './site-row.tsx';
import { useStates } from './use-states.ts';

const ROW_HEIGHT = 64;
const LABELS: Record<Shown, string> = {
  all: 'All',
  on: 'On',
  off: 'Off',
  problems: 'Problems',
};

export function SiteList({ query }: { query: URLSearchParams }) {
  const { status } = useHub();
  const filter = readFilter(query);
  const published = status?.lastPublish?.at;
  // A publish, even someone else's, may have changed any site.
  const sites = useLoad(`sites ${published}`, (signal) => get<Vhost[]>('/vhosts', signal));
  const { states, activity } = useStates(published);
  const search = useRef<HTMLInputElement>(null);
  const change = (next: Partial<typeof filter>) =>
    navigate(addressOf({ ...filter, ...next }), { replace: true });
  const { search: words, shown } = filter;
  const rows = useMemo(
    () =>
      filterSites(
        sites.data ?? [],
        { search: words, shown },
        (site) => problemOf(site, status, states.get(site.id)) !== null,
      ),
    [sites.data, words, shown, status, states],
  );

  useEffect(() => {
    const focusSearch = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      if (event.key !== '/' || target?.closest('input, textarea, select, dialog')) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);

  const replace = (site: Vhost) =>
    sites.set((all) => all?.map((other) => (other.id === site.id ? site : other)));

  return (
    <>
      <div class="page-head">
        <h1>Sites</h1>
        <a class="button primary" href="/sites/new">
          New site
        </a>
      </div>
      <div class="site-filter">
        <input
          ref={search}
          type="search"
          aria-label="Search sites"
          placeholder="Search by domain or upstream ( / )"
          value={words}
          onInput={(event) => change({ search: event.currentTarget.value })}
        />
        <fieldset class="segments">
          <legend class="visually-hidden">Show sites</legend>
          {SHOWN.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="shown"
                checked={shown === name}
                onChange={() => change({ shown: name })}
              />
              <span>{LABELS[name]}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {sites.error && <Notice kind="error" title={sites.error} />}
      <p class="muted site-count" role="status">
        {sites.data && rows.length === sites.data.length
          ? plural(rows.length, 'site')
          : sites.data
            ? `${rows.length} of ${plural(sites.data.length, 'site')}`
            : sites.loading && 'Loading …'}
      </p>
      {sites.data && rows.length > 0 && (
        <div class="sites">
          <VirtualRows items={rows} rowHeight={ROW_HEIGHT} keyOf={({ id }) => id} label="Sites">
            {(site) => (
              <SiteRow
                site={site}
                activity={activity.get(site.id)}
                problem={problemOf(site, status, states.get(site.id))}
                onChanged={replace}
              />
            )}
          </VirtualRows>
        </div>
      )}
      {sites.data?.length === 0 && (
        <div class="empty card">
          <p>You have no sites yet.</p>
          <p>
            <a href="/sites/new">Create your first site</a>, or{' '}
            <a href="/import">import your Caddyfile</a>.
          </p>
        </div>
      )}
      {sites.data && sites.data.length > 0 && rows.length === 0 && (
        <div class="empty card">
          <p>No sites match.</p>
          <button type="button" onClick={() => navigate('/sites', { replace: true })}>
            Show all sites
          </button>
        </div>
      )}
    </>
  );
}
