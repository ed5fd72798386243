/** The requests of the last hour, by vhost, as the agents counted them. */
import type { Static } from 'elysia';
import { addLatencies, percentile } from '../../shared/wire/log-stats.ts';
import type { ActivityQuery, LogActivity } from '../../shared/wire/logs.ts';
import { type Agents, askAll, chosen } from '../agents/agents.ts';
import type { AgentQuery } from '../http/params.ts';
import { endpointsUnder } from '../model/endpoints.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Publisher } from '../publish/publisher.ts';

type Counts = LogActivity['domains'][string];

/** Anyone can send thousands of them to a vhost for any host. */
export const MOST_HOSTS = 20;

/** The hour, and for each vhost that had requests the hosts they were for; matched by host name, on any port. */
type VhostActivity = Omit<LogActivity, 'domains' | 'since'> & {
  vhosts: (Omit<Counts, 'latencies'> & { id: number; hosts: string[]; p95: number | null })[];
};

export type Activity = {
  /**
   * The last hour in that many buckets, shared for a while; without vhosts that had no request.
   * @param name of one agent; all together without it
   * @throws Failure AGENT_UNREACHABLE, NOT_FOUND
   */
  lastHour(buckets: number, name?: string): Promise<VhostActivity>;
};

const HOUR_MS = 3_600_000;

/** @param kept milliseconds for which a count is shared */
export function createActivity(
  publisher: Pick<Publisher, 'current'>,
  agents: AgentsActivity,
  kept: number,
  now: () => Date,
): Activity {
  const cache = new Map<string, { until: number; counted: Promise<LogActivity> }>();

  function count(buckets: number, name: string): Promise<LogActivity> {
    const time = now().getTime();
    const key = `${buckets} ${name}`;
    const known = cache.get(key);
    if (known && known.until > time) return known.counted;
    const counted = agents.activity({
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
      const { domains, since: _, ...range } = await count(buckets, name);
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
export function vhostsByHost({ preamble, vhosts }: SiteSet): (host: string) => readonly number[] {
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

export type AgentsActivity = {
  /**
   * Requests over time of each domain, of the named agent or of all together. The query has a range.
   * @throws Failure AGENT_UNREACHABLE if none can be reached, NOT_FOUND, INVALID_REQUEST
   */
  activity(query: ActivityQuery & Static<typeof AgentQuery>): Promise<LogActivity>;
};

/** One that takes longer counts as away. */
const DEADLINE_MS = 10_000;

export function createAgentsActivity(agents: Agents): AgentsActivity {
  return {
    async activity({ agent, ...query }) {
      const one = chosen(agents, agent);
      if (one) return one.client.activity(query);
      const { answers, missing } = await askAll(agents.all(), ({ client }) =>
        client.activity(query, DEADLINE_MS),
      );
      const sum = addActivity(answers.map(({ answer }) => answer));
      return { ...sum, ...(missing.length > 0 && { missing }) };
    },
  };
}

/** @param all of the same range in the same buckets, at least one */
function addActivity(all: readonly LogActivity[]): LogActivity {
  const [{ from, to, buckets }] = all as [LogActivity];
  const byDomain = new Map<string, Counts[]>();
  for (const { domains } of all) {
    for (const [domain, counts] of Object.entries(domains)) {
      const known = byDomain.get(domain);
      if (known) known.push(counts);
      else byDomain.set(domain, [counts]);
    }
  }
  return {
    from,
    to,
    buckets,
    domains: Object.fromEntries([...byDomain].map(([domain, each]) => [domain, addCounts(each)])),
    since: latestOf(all.map(({ since }) => since)),
    ...(all.some(({ partial }) => partial) && { partial: true as const }),
  };
}

/** Null if one of them is not known. @param times ISO 8601 UTC */
function latestOf(times: readonly (string | null | undefined)[]): string | null {
  const known = times.flatMap((one) => one ?? []);
  return known.length === times.length ? (known.toSorted().at(-1) ?? null) : null;
}

/** @param all at least one */
function addCounts(all: readonly Counts[]): Counts {
  const add = (name: 'requests' | 'status4xx' | 'status5xx') =>
    all.reduce<number[]>((sums, one) => one[name].map((count, i) => count + (sums[i] ?? 0)), []);
  return {
    requests: add('requests'),
    status4xx: add('status4xx'),
    status5xx: add('status5xx'),
    latencies: addLatencies(all.map(({ latencies }) => latencies)),
  };
}
