/** The inputs that filter the changelog. */
import { get } from '../lib/api.ts';
import { useProxyNames } from '../lib/hub.ts';
import { navigate } from '../lib/router.ts';
import type { Policy, User, Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Field } from '../parts/field.tsx';
import { WORDS } from './describe.ts';
import { addressOf, type ChangeFilter, isAction, queryOf } from './filter.ts';
import { PREAMBLE } from './subject.ts';

export function FilterBar({ filter }: { filter: ChangeFilter }) {
  const { domain, user, action } = filter;
  const users = useLoad('users', (signal) => get<User[]>('/users', signal));
  const sites = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  const policies = useLoad('policies', (signal) => get<Policy[]>('/policies', signal));
  const proxies = useProxyNames();
  const change = (next: Partial<ChangeFilter>) => navigate(addressOf({ ...filter, ...next }));
  const isGone = user !== '' && users.data?.every(({ id }) => id !== user);
  return (
    <search class="change-filters flow">
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
            onChange={(event) => change({ domain: event.currentTarget.value.trim() })}
          />
        )}
      </Field>
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
            {isGone && <option value={user}>Someone without an account</option>}
          </select>
        )}
      </Field>
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
        {sites.data?.map((site) => (
          <option key={site.id} value={site.domain} />
        ))}
      </datalist>
    </search>
  );
}
