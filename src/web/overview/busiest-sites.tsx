/** A table of the busiest sites, each number leading to its requests. */

import { count } from '../lib/format.ts';
import type { Vhost, VhostActivity } from '../lib/types.ts';
import { busiest } from './busiest.ts';

const MOST = 6;

type Props = { sites: readonly Vhost[]; activity: VhostActivity };

export function BusiestSites({ sites, activity }: Props) {
  const rows = busiest(sites, activity, MOST);
  if (rows.length === 0) return <p class="muted">No requests in the last hour.</p>;
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th>Site</th>
          <th>Requests</th>
          <th>Errors</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, domain, requests, errors, logs }) => (
          <tr key={id}>
            <td>
              <a href={`/sites/${id}`} title={domain}>
                {domain}
              </a>
            </td>
            <td>
              <a href={logs.requests}>{count(requests)}</a>
            </td>
            <td>
              <a href={logs.errors} class={errors > 0 ? 'over' : undefined}>
                {count(errors)}
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
