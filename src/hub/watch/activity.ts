/** The requests of the last hour, by vhost. */
import { type Static, t } from 'elysia';
import { percentile } from '../../shared/log-stats.ts';
import { Activity as ActivityCounts, Latency, LogActivity } from '../../shared/wire.ts';
import { endpointsUnder } from '../model/endpoints.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Publisher } from '../publish/publisher.ts';
import { type AgentsActivity, addCounts } from './agents-activity.ts';

export type ActivityDeps = {
  publisher: Pick<Publisher, 'current'>;
  agent: AgentsActivity;
  /** Milliseconds for which a count is shared. */
  kept: number;
  now: () => Date;
};

type Counts = LogActivity['domains'][string];

/** Anyone can send thousands of them to a vhost for any host. */
const MOST_HOSTS = 20;

export const VhostActivity = t.Composite(
  [
    t.Omit(LogActivity, ['domains']),
    t.Object({
      vhosts: t.Array(
        t.Composite([
          t.Object({
            id: t.Integer(),
            hosts: t.Array(t.String(), {
              description: `the host names that were requested, at most ${MOST_HOSTS}`,
            }),
          }),
          ActivityCounts,
          t.Object({ p95: Latency }),
        ]),
        { description: 'the vhosts that had requests; matched by host name, on any port' },
      ),
    }),
  ],
  { title: 'VhostActivity' },
);

export type Activity = {
  /**
   * The last hour in that many buckets, shared for a while; without vhosts that had no request.
   * @param name of one agent; all together without it
   * @throws Failure AGENT_UNREACHABLE, NOT_FOUND
   */
  lastHour(buckets: number, name?: string): Promise<Static<typeof VhostActivity>>;
};

const HOUR_MS = 3_600_000;

export function createActivity({ publisher, agent, kept, now }: ActivityDeps): Activity {
  const cache = new Map<string, { until: number; counted: Promise<LogActivity> }>();

  function count(buckets: number, name: string): Promise<LogActivity> {
    const time = now().getTime();
    const key = `${buckets} ${name}`;
    const known = cache.get(key);
    if (known && known.until > time) return known.counted;
    const counted = agent.activity({
      from: new Date(time - HOUR_MS).toISOString(),
      to: new Date(time).toISOString(),
      buckets: String(buckets),
      agent: name,
    });
    cache.set(key, { until: time + kept, counted });
    counted.catch(() => cache.delete(key));
    return counted;
  }

  return {
    async lastHour(buckets, name = '') {
      const { domains, ...range } = await count(buckets, name);
      const vhostsOf = vhostsByHost(publisher.current());
      const found = new Map<number, { hosts: string[]; parts: Counts[] }>();
      for (const [domain, counts] of Object.entries(domains)) {
        for (const id of vhostsOf(domain)) {
          const known = found.get(id) ?? { hosts: [], parts: [] };
          if (known.hosts.length < MOST_HOSTS) known.hosts.push(domain);
          known.parts.push(counts);
          found.set(id, known);
        }
      }
      const vhosts = [...found].map(([id, { hosts, parts }]) => ({ id, hosts, ...sum(parts) }));
      return { ...range, vhosts };
    },
  };
}

/**
 * Finds the ids of the vhosts for a host, on any port: those with the exact name, else with a
 * matching wildcard, else those for any host.
 */
function vhostsByHost({ preamble, vhosts }: SiteSet): (host: string) => readonly number[] {
  const endpointsOf = endpointsUnder(preamble);
  const byName = new Map<string, Set<number>>();
  let deepest = 0;
  for (const vhost of vhosts) {
    for (const { name } of endpointsOf(vhost)) {
      byName.set(name, (byName.get(name) ?? new Set()).add(vhost.id));
      deepest = Math.max(deepest, wildcardsOf(name));
    }
  }
  // Anyone can send thousands of host names made of many dots, so no more labels are replaced than
  // the vhosts have wildcards.
  return (host) => {
    const labels = host.replace(/^\[|\]$/g, '').split('.');
    for (let wild = 0; wild <= Math.min(deepest, labels.length); wild++) {
      const name = labels.map((label, at) => (at < wild ? '*' : label)).join('.');
      const found = byName.get(name);
      if (found) return [...found];
    }
    return [...(byName.get('') ?? [])];
  };
}

/** How many of its first labels are wildcards. */
const wildcardsOf = (name: string): number =>
  (/^(?:\*(?:\.|$))*/.exec(name)?.[0] ?? '').replaceAll('.', '').length;

/** @param parts of the same vhost, at least one */
function sum(parts: readonly Counts[]) {
  const { latencies, ...counts } = addCounts(parts);
  return { ...counts, p95: percentile(latencies, 0.95) };
}
