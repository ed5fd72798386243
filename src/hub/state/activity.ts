/** The requests of the last hour, by vhost: what a list of sites shows beside each of them. */
import type { LogActivity } from '../../shared/wire.ts';
import type { AgentClient } from '../agent-client/client.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { SiteSet } from '../publish/vhost.ts';
import { endpointsUnder } from './endpoints.ts';

export type ActivityDeps = { publisher: Publisher; agent: AgentClient; now: () => Date };
export type Activity = ReturnType<typeof createActivity>;

type Counts = LogActivity['domains'][string];

const HOUR_MS = 3_600_000;
/** A list that several people look at is counted once. */
const KEPT_MS = 5_000;

export function createActivity({ publisher, agent, now }: ActivityDeps) {
  const kept = new Map<number, { until: number; counted: Promise<LogActivity> }>();

  function count(buckets: number): Promise<LogActivity> {
    const time = now().getTime();
    const known = kept.get(buckets);
    if (known && known.until > time) return known.counted;
    const counted = agent.activity({
      from: new Date(time - HOUR_MS).toISOString(),
      to: new Date(time).toISOString(),
      buckets: String(buckets),
    });
    kept.set(buckets, { until: time + KEPT_MS, counted });
    counted.catch(() => kept.delete(buckets));
    return counted;
  }

  return {
    /**
     * The last hour in so many stretches, up to five seconds old; vhosts without a request are missing.
     * @throws Failure AGENT_UNREACHABLE
     */
    async lastHour(buckets: number) {
      const { domains, ...range } = await count(buckets);
      const vhostsOf = hostsOf(publisher.current());
      const found = new Map<number, Counts>();
      for (const [domain, counts] of Object.entries(domains)) {
        for (const id of vhostsOf(domain)) {
          const known = found.get(id);
          found.set(id, known ? sum(known, counts) : counts);
        }
      }
      return { ...range, vhosts: [...found].map(([id, counts]) => ({ id, ...counts })) };
    },
  };
}

/** The vhosts that answer to a host, on whatever port: its name's, else a wildcard's, else any host's. */
function hostsOf({ preamble, vhosts }: SiteSet): (host: string) => readonly number[] {
  const endpointsOf = endpointsUnder(preamble);
  const byName = new Map<string, Set<number>>();
  let deepest = 0;
  for (const vhost of vhosts) {
    for (const { name } of endpointsOf(vhost)) {
      byName.set(name, (byName.get(name) ?? new Set()).add(vhost.id));
      deepest = Math.max(deepest, wildcardsOf(name));
    }
  }
  // Anybody can send thousands of hosts, each of dots alone: only as many labels are tried as the
  // vhosts have wildcards.
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

/** How many labels at its beginning are wildcards. */
const wildcardsOf = (name: string): number =>
  (/^(?:\*(?:\.|$))*/.exec(name)?.[0] ?? '').replaceAll('.', '').length;

function sum(a: Counts, b: Counts): Counts {
  const add = (one: number[], other: number[]) => one.map((count, i) => count + (other[i] ?? 0));
  return {
    requests: add(a.requests, b.requests),
    status4xx: add(a.status4xx, b.status4xx),
    status5xx: add(a.status5xx, b.status5xx),
  };
}
