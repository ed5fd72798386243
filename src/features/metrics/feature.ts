/** Metrics of hub and agent, for Prometheus. */
import type { Feature } from '../../feature.ts';

export const metrics: Feature = {
  name: 'metrics',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: () => ({
    load: async () => (await import('../../../agent/features/metrics/agent.ts')).agent,
  }),
};
