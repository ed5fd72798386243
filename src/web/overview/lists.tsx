/** The lists of the first page: the busiest sites, certificates that are due, the last changes. */
import { lineOf } from '../changelog/describe.ts';
import { count, localTime, plural } from '../lib/format.ts';
import type { Group, Status, Vhost, VhostActivity } from '../lib/types.ts';
import { anyOf, logsOf } from '../logs/filter/filters.ts';
import { Time } from '../parts/time.tsx';

const MOST = 6;

type Props = { sites: readonly Vhost[]; activity: VhostActivity };

export function BusiestSites({ sites, activity }: Props) {
  const rows = busiest(sites, activity, MOST);
  if (rows.length === 0) return <p class="muted">No requests in the last hour.</p>;
  return (
    <table class="numbers numeric">
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
            <td class="cut">
              <a href={`/sites/${id}`} title={domain}>
                {domain}
              </a>
            </td>
            <td>
              <a href={logs.requests}>{count(requests)}</a>
            </td>
            <td>
              <a href={logs.errors} class={errors > 0 ? 'bad' : undefined}>
                {count(errors)}
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type BusySite = {
  id: number;
  domain: string;
  requests: number;
  errors: number;
  /** Of its requests, and of its errors. */
  logs: { requests: string; errors: string };
};

/** Of a site in the activity, even if visitors asked for more. */
const MOST_HOSTS = 20;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Most requests first, at most `most`; sites that no longer exist are left out. */
export function busiest(
  sites: readonly Vhost[],
  { from, to, vhosts }: VhostActivity,
  most: number,
): BusySite[] {
  const domains = new Map(sites.map(({ id, domain }) => [id, domain]));
  return vhosts
    .flatMap(({ id, requests, status5xx, hosts }) => {
      const domain = domains.get(id);
      if (domain === undefined) return [];
      const range = { domain: anyOf(hosts), from: from ?? '', to: to ?? '' };
      // The hub names no more; the numbers of any are on the site’s page.
      const isKnown = range.domain !== '' && hosts.length < MOST_HOSTS;
      const leadTo = (status: string) => (isKnown ? logsOf({ ...range, status }) : `/sites/${id}`);
      const logs = { requests: leadTo(''), errors: leadTo('5xx') };
      return [{ id, domain, requests: sum(requests), errors: sum(status5xx), logs }];
    })
    .sort((a, b) => b.requests - a.requests)
    .slice(0, most);
}

/** What `certificates` of the status covers. */
const WITHIN_DAYS = 14;

/** The certificates that end soon. */
export function CertificatesDue({ status }: { status: Status }) {
  const { agents, certificates } = status;
  const unknown = agents.filter(({ proxy }) => !proxy.running);
  const note =
    unknown.length > 0
      ? `Not known${agents.length > 1 ? ` on ${unknown.map(({ name }) => name).join(', ')}` : ''}.`
      : `No certificate is due within ${WITHIN_DAYS} days.`;
  return (
    <>
      {(certificates.length === 0 || unknown.length > 0) && <p class="muted">{note}</p>}
      <ul class="lines plain">
        {certificates.map(({ id, name, daysLeft, notAfter, overdue, agent }) => (
          <li key={`${id} ${name} ${agent}`} class="row between">
            <a href={`/sites/${id}`}>{name}</a>
            <span class={overdue ? 'bad' : 'muted'} title={localTime(notAfter)}>
              {daysLeft < 0 ? 'expired' : daysLeft === 0 ? 'within a day' : plural(daysLeft, 'day')}
              {overdue && daysLeft >= 0 && ', not renewed'}
              {agent && ` on ${agent}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The latest changes, each leading to its entry of the changelog. */
export function LastChanges({ groups }: { groups: readonly Group[] }) {
  if (groups.length === 0) return <p class="muted">No changes yet.</p>;
  return (
    <ul class="lines plain">
      {groups.slice(0, MOST).map((one) => (
        <li key={one.group} class="row between">
          <a href={`/changelog#change-${one.group}`}>{lineOf(one)}</a>
          <span class="muted">
            {one.userName}, <Time at={one.createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
