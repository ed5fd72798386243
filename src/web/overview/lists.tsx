/** The lists of the first page: the busiest sites, the last changes, the certificates that are due. Nothing empty is drawn. */
import type { ComponentChildren } from 'preact';
import { lineOf } from '../changelog/describe.ts';
import { count, localTime, plural } from '../lib/format.ts';
import type { Group, Status, Vhost, VhostActivity } from '../lib/types.ts';
import { anyOf, logsOf } from '../logs/filter/filters.ts';
import { Time } from '../parts/time.tsx';

const MOST = 6;

type Props = {
  sites: readonly Vhost[];
  /** Null: not known. */
  activity: VhostActivity | null;
  status: Status;
  groups: readonly Group[];
};

/** Whether a site was visited in the last hour. */
export const hasRequests = (activity: VhostActivity | null | undefined): boolean =>
  (activity?.vhosts.length ?? 0) > 0;

export function Lists({ sites, activity, status: { certificates }, groups }: Props) {
  const busy = activity ? busiest(sites, activity, MOST) : [];
  return (
    <div class="overview-lists columns top small">
      {busy.length > 0 && (
        <Part title="Busiest sites" link={{ to: '/sites', label: 'All sites' }}>
          <BusiestSites rows={busy} />
        </Part>
      )}
      {groups.length > 0 && (
        <Part title="Last changes" link={{ to: '/changelog', label: 'All changes' }}>
          <LastChanges groups={groups} />
        </Part>
      )}
      {certificates.length > 0 && (
        <Part title="Certificates due" link={{ to: '/certificates', label: 'All certificates' }}>
          <CertificatesDue certificates={certificates} />
        </Part>
      )}
    </div>
  );
}

type PartProps = {
  title: string;
  link: { to: string; label: string };
  children: ComponentChildren;
};

const Part = ({ title, link, children }: PartProps) => (
  <section class="card tight" aria-label={title}>
    <div class="card-head row between">
      <h2>{title}</h2>
      <a href={link.to}>{link.label}</a>
    </div>
    {children}
  </section>
);

const BusiestSites = ({ rows }: { rows: readonly BusySite[] }) => (
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
            <a class="name" href={`/sites/${id}`} title={domain}>
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

/** Those that end within two weeks. */
const CertificatesDue = ({ certificates }: Pick<Status, 'certificates'>) => (
  <ul class="lines plain">
    {certificates.map(({ id, name, daysLeft, notAfter, overdue, agent }) => (
      <li key={`${id} ${name} ${agent}`} class="row between">
        <a class="name" href={`/sites/${id}`}>
          {name}
        </a>
        <span class={overdue ? 'bad' : 'muted'} title={localTime(notAfter)}>
          {lastsFor(daysLeft)}
          {overdue && daysLeft >= 0 && ', not renewed'}
          {agent && ` on ${agent}`}
        </span>
      </li>
    ))}
  </ul>
);

function lastsFor(daysLeft: number): string {
  if (daysLeft < 0) return 'expired';
  return daysLeft === 0 ? 'within a day' : plural(daysLeft, 'day');
}

/** Each leads to its entry of the changelog. */
const LastChanges = ({ groups }: { groups: readonly Group[] }) => (
  <ul class="lines plain">
    {groups.slice(0, MOST).map((one) => (
      <li key={one.group} class="row between">
        <a class="name" href={`/changelog#change-${one.group}`}>
          {lineOf(one)}
        </a>
        <span class="muted">
          {one.userName}, <Time at={one.createdAt} />
        </span>
      </li>
    ))}
  </ul>
);
