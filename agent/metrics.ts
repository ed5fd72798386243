/** The agent's metrics: counters kept as things happen, and values collected for each scrape. */
import { within } from '../src/shared/async.ts';
import { Failure } from '../src/shared/failure.ts';
import type { Log } from '../src/shared/log.ts';
import {
  type Collector,
  counter,
  countRequests,
  createMetrics,
  type Family,
  gauge,
  type Metrics,
} from '../src/shared/observe/metrics.ts';
import type { RequestSeen } from '../src/shared/observe/requests.ts';
import { nameOf } from './caddy/ports/ports.ts';
import type { ProxyControl } from './caddy/proxy.ts';
import type { Logs } from './logs/logs.ts';
import type { Prober } from './sites/upstreams/prober.ts';

export type AgentMetrics = Pick<Metrics, 'text' | 'contentType'> & {
  request: (seen: RequestSeen) => void;
  /** Counts and times a reload. @throws what `reload` throws */
  reload<T>(reload: Promise<T>): Promise<T>;
};

/** A proxy that takes longer to answer counts as down. */
const PROXY_TIMEOUT_MS = 2_000;

const OUTCOMES = ['accepted', 'rejected', 'unreachable', 'stale', 'failed'] as const;
const BY_CODE: Partial<Record<string, (typeof OUTCOMES)[number]>> = {
  PROXY_REJECTED: 'rejected',
  PROXY_UNREACHABLE: 'unreachable',
  STALE: 'stale',
};
const outcomeOf = (error: unknown) =>
  (error instanceof Failure ? BY_CODE[error.code] : undefined) ?? 'failed';

/** @param collectors values collected for each scrape */
export function createAgentMetrics(collectors: readonly Collector[], log: Log): AgentMetrics {
  const metrics = createMetrics({ collectors, log });
  const reloads = metrics.counter('signalbox_proxy_reloads_total', 'Reloads of the proxy.', [
    'outcome',
  ]);
  for (const outcome of OUTCOMES) reloads.inc({ outcome }, 0);
  const duration = metrics.histogram(
    'signalbox_proxy_reload_duration_seconds',
    'Time to validate, load and store a Caddyfile, or until it was refused.',
    ['outcome'],
  );

  return {
    text: metrics.text,
    contentType: metrics.contentType,
    request: countRequests(metrics),

    async reload(reload) {
      const from = performance.now();
      let outcome: (typeof OUTCOMES)[number] = 'accepted';
      try {
        return await reload;
      } catch (error) {
        outcome = outcomeOf(error);
        throw error;
      } finally {
        reloads.inc({ outcome });
        duration.observe({ outcome }, (performance.now() - from) / 1000);
      }
    },
  };
}

/** Whether the proxy is up, and how often it was started. Never rejects or waits for a proxy that hangs. */
export async function collectProxy(
  proxy: Pick<ProxyControl, 'status' | 'starts'>,
): Promise<readonly Family[]> {
  const answer = proxy.status().catch(() => null);
  const status = await within(answer, PROXY_TIMEOUT_MS, () => null);
  return [
    gauge('signalbox_proxy_up', 'Whether the proxy answers.', status?.proxy.running ?? false),
    counter(
      'signalbox_proxy_starts_total',
      'How often the agent has started or adopted its proxy.',
      Object.entries(proxy.starts()).map(([how, value]) => ({ labels: { how }, value })),
    ),
  ];
}

/** How much of the access log is indexed, and how many readers follow it. */
export function collectLogs(logs: Pick<Logs, 'counts'>): readonly Family[] {
  const { indexedBytes, segments, tails } = logs.counts();
  return [
    counter(
      'signalbox_log_indexed_bytes_total',
      'Indexed bytes of the access log, uncompressed.',
      indexedBytes,
    ),
    gauge('signalbox_log_segments', 'Indexed files of the access log.', segments),
    gauge('signalbox_log_tails', 'Readers that follow the access log.', tails),
  ];
}

/** Whether each upstream could be dialled; one that is dialled in several ways, in all of them. */
export function collectUpstreams(prober: Pick<Prober, 'results'> | null): readonly Family[] {
  const byAddress = new Map<string, boolean>();
  for (const { dial, last } of prober?.results() ?? []) {
    const { place } = dial;
    const address = 'path' in place ? `unix/${place.path}` : nameOf(place);
    if (last.up !== null) byAddress.set(address, last.up && byAddress.get(address) !== false);
  }
  return [
    {
      name: 'signalbox_upstream_up',
      help: 'Whether the agent could connect to an upstream.',
      type: 'gauge',
      labelNames: ['upstream'],
      samples: [...byAddress].map(([upstream, up]) => ({
        labels: { upstream },
        value: Number(up),
      })),
    },
  ];
}
