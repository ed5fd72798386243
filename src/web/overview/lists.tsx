/** The lists of the first page: the busiest sites, the last changes, the certificates that are due. Nothing empty is drawn. */
import type { ComponentChildren, VNode } from 'preact';
import { lineOf } from '../changelog/describe.ts';
import { localTime, plural } from '../lib/format.ts';
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
    <div class="columns top small numeric">
      <Part title="Busiest sites" link={{ to: '/sites', label: 'All sites' }}>
        {busy.map(({ id, domain, requests, errors, logs }) => (
          <Line key={id} to={`/sites/${id}`} name={domain}>
            <a href={logs.requests}>{plural(requests, 'request')}</a>
            {errors > 0 && (
              <a href={logs.errors} class="bad">
                {plural(errors, 'error')}
              </a>
            )}
          </Line>
        ))}
      </Part>
      <Part title="Last changes" link={{ to: '/changelog', label: 'All changes' }}>
        {groups.slice(0, MOST).map((one) => (
          <Line key={one.group} to={`/changelog#change-${one.group}`} name={lineOf(one)}>
            <span>
              {one.userName}, <Time at={one.createdAt} />
            </span>
          </Line>
        ))}
      </Part>
      <Part title="Certificates due" link={{ to: '/certificates', label: 'All certificates' }}>
        {certificates.map(({ id, name, daysLeft, notAfter, overdue, agent }) => (
          <Line key={`${id} ${name} ${agent}`} to={`/sites/${id}`} name={name}>
            <span class={overdue ? 'bad' : undefined} title={localTime(notAfter)}>
              {lastsFor(daysLeft)}
              {overdue && daysLeft >= 0 && ', not renewed'}
              {agent && ` on ${agent}`}
            </span>
          </Line>
        ))}
      </Part>
    </div>
  );
}

type PartProps = {
  title: string;
  link: { to: string; label: string };
  children: readonly VNode[];
};

/** A card with a list; none if that is empty. */
const Part = ({ title, link, children }: PartProps) =>
  children.length === 0 ? null : (
    <section class="card tight" aria-label={title}>
      <div class="card-head row between">
        <h2>{title}</h2>
        <a href={link.to}>{link.label}</a>
      </div>
      <ul class="lines plain">{children}</ul>
    </section>
  );

type LineProps = { to: string; name: string; children: ComponentChildren };

const Line = ({ to, name, children }: LineProps) => (
  <li class="row between">
    <a class="name" href={to}>
      {name}
    </a>
    <span class="row muted">{children}</span>
  </li>
);

function lastsFor(daysLeft: number): string {
  if (daysLeft < 0) return 'expired';
  return daysLeft === 0 ? 'within a day' : plural(daysLeft, 'day');
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
