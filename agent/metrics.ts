/** The agent's numbers: what is counted as it happens, and what is looked up when somebody asks. */

import { Failure } from '../src/shared/failure.ts';
import type { Log } from '../src/shared/observe/log.ts';
import {
  type Collector,
  countRequests,
  createMetrics,
  type Family,
} from '../src/shared/observe/metrics.ts';
import type { ProxyControl } from './caddy/proxy.ts';
import type { Logs } from './logs/logs.ts';

export type AgentMetrics = ReturnType<typeof createAgentMetrics>;

/** A proxy that takes longer than this to show itself counts as down. */
const PROXY_DEADLINE_MS = 2_000;

const OUTCOMES = ['accepted', 'rejected', 'unreachable', 'stale', 'failed'] as const;
const BY_CODE: Partial<Record<string, (typeof OUTCOMES)[number]>> = {
  PROXY_REJECTED: 'rejected',
  PROXY_UNREACHABLE: 'unreachable',
  STALE: 'stale',
};
const outcomeOf = (error: unknown) =>
  (error instanceof Failure ? BY_CODE[error.code] : undefined) ?? 'failed';

/** @param collectors what is looked up; a feature with numbers of its own adds one here */
export function createAgentMetrics(collectors: readonly Collector[], log: Log) {
  const metrics = createMetrics({ collectors, log });
  const reloads = metrics.counter(
    'signalbox_proxy_reloads_total',
    'Proxyfiles handed to the proxy for good.',
    ['outcome'],
  );
  for (const outcome of OUTCOMES) reloads.inc({ outcome }, 0);
  const duration = metrics.histogram(
    'signalbox_proxy_reload_duration_seconds',
    'Time to validate, load and swap, or to the refusal.',
    ['outcome'],
  );

  return {
    text: metrics.text,
    contentType: metrics.contentType,
    request: countRequests(metrics),

    /** Counts a reload while it goes its way. @throws as `reload` */
    async reload<T>(reload: Promise<T>): Promise<T> {
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

/** How the proxy is; never fails, never waits for one that hangs. */
export async function collectProxy(
  proxy: Pick<ProxyControl, 'status' | 'starts'>,
): Promise<readonly Family[]> {
  let timer: Timer | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PROXY_DEADLINE_MS);
  });
  const status = await Promise.race([proxy.status().catch(() => null), late]);
  clearTimeout(timer);
  return [
    {
      name: 'signalbox_proxy_up',
      help: 'Whether the proxy answers.',
      type: 'gauge',
      samples: [{ value: Number(status?.proxy.running ?? false) }],
    },
    {
      name: 'signalbox_proxy_starts_total',
      help: 'How often the agent has started or adopted a proxy of its own.',
      type: 'counter',
      samples: Object.entries(proxy.starts()).map(([how, value]) => ({ labels: { how }, value })),
    },
  ];
}

/** What the access log's index has read. */
export function collectLogs(logs: Pick<Logs, 'counts'>): readonly Family[] {
  const { indexedBytes, segments, tails } = logs.counts();
  return [
    {
      name: 'signalbox_log_indexed_bytes_total',
      help: 'Bytes of the access log that have been indexed, uncompressed.',
      type: 'counter',
      samples: [{ value: indexedBytes }],
    },
    {
      name: 'signalbox_log_segments',
      help: 'Files of the access log that are indexed.',
      type: 'gauge',
      samples: [{ value: segments }],
    },
    {
      name: 'signalbox_log_tails',
      help: 'Readers who follow the access log.',
      type: 'gauge',
      samples: [{ value: tails }],
    },
  ];
}
