/** What the agent counts as it happens: requests, and reloads of its proxy. */
import { countRequests, type Registry } from '../../../src/features/metrics/shared/registry.ts';
import { Failure } from '../../../src/shared/failure.ts';
import type { AgentObserver } from '../../core.ts';

const OUTCOMES = ['accepted', 'rejected', 'unreachable', 'stale', 'failed'] as const;
const BY_CODE: Partial<Record<string, (typeof OUTCOMES)[number]>> = {
  PROXY_REJECTED: 'rejected',
  PROXY_UNREACHABLE: 'unreachable',
  STALE: 'stale',
};
const outcomeOf = (error: unknown) =>
  (error instanceof Failure ? BY_CODE[error.code] : undefined) ?? 'failed';

export function createCounts(registry: Registry): AgentObserver {
  const reloads = registry.counter('signalbox_proxy_reloads_total', 'Reloads of the proxy.', [
    'outcome',
  ]);
  for (const outcome of OUTCOMES) reloads.inc({ outcome }, 0);
  const duration = registry.histogram(
    'signalbox_proxy_reload_duration_seconds',
    'Time to validate, load and store a Caddyfile, or until it was refused.',
    ['outcome'],
  );

  return {
    request: countRequests(registry),

    reload({ milliseconds, error }) {
      const outcome = error === undefined ? 'accepted' : outcomeOf(error);
      reloads.inc({ outcome });
      duration.observe({ outcome }, milliseconds / 1000);
    },
  };
}
