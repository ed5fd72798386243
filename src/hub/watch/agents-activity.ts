/** The requests that the agents counted, added up. */
import type { Static } from 'elysia';
import { addLatencies } from '../../shared/log-stats.ts';
import type { ActivityQuery, LogActivity } from '../../shared/wire.ts';
import { type Agents, askAll, chosen } from '../agents/agents.ts';
import type { AgentQuery } from '../http/params.ts';

export type AgentsActivity = {
  /**
   * Requests over time of each domain, of the named agent or of all together. The query has a range.
   * @throws Failure AGENT_UNREACHABLE if none can be reached, NOT_FOUND, INVALID_REQUEST
   */
  activity(query: ActivityQuery & Static<typeof AgentQuery>): Promise<LogActivity>;
};

/** One that takes longer counts as away. */
const DEADLINE_MS = 10_000;

type Counts = LogActivity['domains'][string];

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
    ...{ from, to, buckets },
    domains: Object.fromEntries([...byDomain].map(([domain, each]) => [domain, addCounts(each)])),
    ...(all.some(({ partial }) => partial) && { partial: true as const }),
  };
}

/** @param all at least one */
export function addCounts(all: readonly Counts[]): Counts {
  const add = (name: 'requests' | 'status4xx' | 'status5xx') =>
    all.reduce<number[]>((sums, one) => one[name].map((count, i) => count + (sums[i] ?? 0)), []);
  return {
    requests: add('requests'),
    status4xx: add('status4xx'),
    status5xx: add('status5xx'),
    latencies: addLatencies(all.map(({ latencies }) => latencies)),
  };
}
