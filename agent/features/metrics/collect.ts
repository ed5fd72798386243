/** What the agent looks up for each scrape: its proxy, the access log, and upstreams. */
import { within } from '../../../src/shared/async.ts';
import { counter, type Family, gauge } from '../../../src/shared/observe/metrics.ts';
import { nameOf } from '../../caddy/ports/ports.ts';
import type { ProxyControl } from '../../caddy/proxy.ts';
import type { Logs } from '../../logs/logs.ts';
import type { Prober } from '../../sites/upstreams/prober.ts';

/** A proxy that takes longer to answer counts as down. */
const PROXY_TIMEOUT_MS = 2_000;

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
