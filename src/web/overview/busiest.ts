/** The sites with the most requests in the last hour. Pure. */

import { logsOf } from '../figures/hours.ts';
import type { Vhost, VhostActivity } from '../lib/types.ts';

export type BusySite = {
  id: number;
  domain: string;
  requests: number;
  errors: number;
  /** Of its requests, and of its errors. */
  logs: { requests: string; errors: string };
};

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
      const range = { domain: hosts[0] ?? '', from: from ?? '', to: to ?? '' };
      // The log filters by one name; the numbers of several are on the site’s page.
      const leadTo = (status: string) =>
        hosts.length === 1 ? logsOf({ ...range, status }) : `/sites/${id}`;
      const logs = { requests: leadTo(''), errors: leadTo('5xx') };
      return [{ id, domain, requests: sum(requests), errors: sum(status5xx), logs }];
    })
    .sort((a, b) => b.requests - a.requests)
    .slice(0, most);
}
