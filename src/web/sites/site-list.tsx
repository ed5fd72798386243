/** All sites. */
import { get } from '../lib/api.ts';
import type { Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';

export function SiteList() {
  const { data } = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  return (
    <>
      <div class="page-head">
        <h1>Sites</h1>
        <a class="button primary" href="/sites/new">
          New site
        </a>
      </div>
      <ul>
        {data?.map(({ id, domain }) => (
          <li key={id}>
            <a href={`/sites/${id}`}>{domain}</a>
          </li>
        ))}
      </ul>
    </>
  );
}
