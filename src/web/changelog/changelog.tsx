/** The changelog page: all changes, newest first, page by page, filtered by site, person and kind of change. */

import { useEffect, useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { useHub, useProxyNames } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { navigate } from '../lib/router.ts';
import type { Entry, Group, Policy, User, Vhost } from '../lib/types.ts';
import { useGet, useLoad } from '../lib/use-load.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { alone, byDay, dayName, merged, PREAMBLE, summaryIn, WORDS } from './describe.ts';
import { EntryView } from './entry-view.tsx';
import { GroupView } from './group-view.tsx';
import type { Find } from './undo.tsx';

export function Changelog({ query: given }: { query: URLSearchParams }) {
  const filter = readFilter(given);
  const query = queryOf(filter);
  return (
    <>
      <h1>Changes</h1>
      <p class="muted">
        What people and programs changed, which can be undone. What broke on its own is under
        Notifications, and who signed in is in the security log.
      </p>
      <FilterBar filter={filter} />
      <EntryList key={query} query={query} />
    </>
  );
}

/** Entries, or groups, per page of the API. */
const PAGE = 100;

type ListProps = {
  /** The filter, as in an address; empty: all changes. */
  query: string;
  onUndone?: () => unknown;
};

export function EntryList({ query, onUndone }: ListProps) {
  const hub = useHub();
  const isGroup = new URLSearchParams(query).has('group');
  const [full, setFull] = useState(false);
  const page = async (before: number | null, signal?: AbortSignal): Promise<Group[]> => {
    const path = `/changelog?${query}${before === null ? '' : `&before=${before}`}`;
    if (!isGroup) return get<Group[]>(`${path}&grouped=true`, signal);
    return (await get<Entry[]>(path, signal)).map(alone);
  };
  const { data, error, set } = useLoad(`changelog ${query}`, async (signal) => {
    const first = await page(null, signal);
    setFull(first.length === PAGE);
    return first;
  });

  const isLoaded = data !== undefined;
  useEffect(() => {
    // A link to one change, such as the overview's.
    if (isLoaded) document.getElementById(location.hash.slice(1))?.focus();
  }, [isLoaded]);

  const undone = async () => {
    hub.refresh();
    const fresh = await page(null);
    set((old) => merged(fresh, old ?? []));
    onUndone?.();
  };
  const loadOlder = async () => {
    const more = await page(data?.at(-1)?.group ?? null);
    setFull(more.length === PAGE);
    set((old) => [...(old ?? []), ...more]);
  };
  const find: Find = (id) => {
    const group = data?.find(({ entries }) => entries.some((entry) => entry.id === id));
    const entry = group?.entries.find((one) => one.id === id);
    return entry && { entry, isAlone: group?.count === 1 };
  };

  return (
    <>
      {error && <Notice kind="error">{error}</Notice>}
      {!data && !error && <SkeletonRows rows={6} label="Loading changes" />}
      {data?.length === 0 &&
        (query === '' ? (
          <Empty>
            No changes yet. Every change to a site, a policy or the Caddy options will appear here.
          </Empty>
        ) : (
          <p class="empty muted">There are no such changes.</p>
        ))}
      {byDay(data ?? []).map(({ day, entries }) => (
        <section key={day} aria-label={dayName(day, new Date())}>
          <h2 class="above small muted">{dayName(day, new Date())}</h2>
          <ol class="card flush plain">
            {entries.map((group) => {
              const [entry] = group.entries;
              const page = { find, onUndone: undone };
              return group.count > 1 || !entry ? (
                <GroupView key={group.group} group={group} {...page} />
              ) : (
                <EntryView key={group.group} entry={entry} {...summaryIn(group)} {...page} />
              );
            })}
          </ol>
        </section>
      ))}
      {full && (
        <div class="above center">
          <ActionButton busy="Loading …" act={loadOlder}>
            Older changes
          </ActionButton>
        </div>
      )}
    </>
  );
}

function FilterBar({ filter }: { filter: ChangeFilter }) {
  const { domain, user, action } = filter;
  const isOwner = useCan('owner');
  const users = useLoad('users', async (signal) => (isOwner ? get<User[]>('/users', signal) : []));
  const sites = useGet<Vhost[]>('/vhosts');
  const policies = useGet<Policy[]>('/policies');
  const proxies = useProxyNames();
  const change = (next: Partial<ChangeFilter>) => navigate(addressOf({ ...filter, ...next }));
  /** The changes of a site go by its first name. */
  const domainOf = (name: string) =>
    sites.data?.find(({ addresses }) => addresses.includes(name))?.domain ?? name;
  const isGone = user !== '' && users.data?.every(({ id }) => id !== user);
  return (
    <search class="row bottom below">
      <Field label="Site">
        {(described) => (
          <input
            key={domain}
            {...described}
            type="search"
            list="change-sites"
            defaultValue={domain}
            placeholder="any"
            spellcheck={false}
            onChange={(event) => change({ domain: domainOf(event.currentTarget.value.trim()) })}
          />
        )}
      </Field>
      {(isOwner || user !== '') && (
        <Field label="Person">
          {(described) => (
            <select
              {...described}
              value={user}
              onChange={(event) => change({ user: event.currentTarget.value })}
            >
              <option value="">Anyone</option>
              {users.data?.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
              {isGone && (
                <option value={user}>
                  {isOwner ? 'Someone without an account' : 'One person'}
                </option>
              )}
            </select>
          )}
        </Field>
      )}
      <Field label="Change">
        {(described) => (
          <select
            {...described}
            value={action}
            onChange={({ currentTarget: { value } }) =>
              change({ action: isAction(value) ? value : '' })
            }
          >
            <option value="">Any</option>
            {Object.entries(WORDS).map(([name, { word }]) => (
              <option key={name} value={name}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      {queryOf(filter) !== '' && <a href="/changelog">Show all changes</a>}
      <datalist id="change-sites">
        <option value={PREAMBLE} />
        {policies.data?.map(({ id, name }) => (
          <option key={`policy ${id}`} value={`(policy ${name})`} />
        ))}
        {proxies.flatMap((name) =>
          ['preamble', 'agent'].map((kind) => (
            <option key={`${kind} ${name}`} value={`(${kind} ${name})`} />
          )),
        )}
        {sites.data?.flatMap(({ addresses }) =>
          addresses.map((name) => <option key={name} value={name} />),
        )}
      </datalist>
    </search>
  );
}

/** `user` is an id; empty texts do not filter. */
type ChangeFilter = {
  domain: string;
  user: string;
  action: Entry['action'] | '';
  /** Of one request. */
  group: string;
};

/** Reads the filter from an address; unknown actions and groups that are no numbers count as absent. */
export function readFilter(query: URLSearchParams): ChangeFilter {
  const action = query.get('action') ?? '';
  const group = query.get('group') ?? '';
  return {
    domain: query.get('domain') ?? '',
    user: query.get('user') ?? '',
    action: isAction(action) ? action : '',
    group: /^[1-9]\d{0,14}$/.test(group) ? group : '',
  };
}

/** The filter of the changelog, in the page's address and in the API's. */
const isAction = (text: string): text is Entry['action'] => Object.hasOwn(WORDS, text);

/** `domain=a.example&action=create`; empty if it shows everything. */
function queryOf(filter: ChangeFilter): string {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();
}

/** The address of a filter. */
export function addressOf(filter: ChangeFilter): string {
  const query = queryOf(filter);
  return query === '' ? '/changelog' : `/changelog?${query}`;
}
