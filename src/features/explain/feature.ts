/** "Explain this": which step of a request fails, why, and what to do. */
import type { Feature } from '../../feature.ts';

export const explain: Feature = {
  name: 'explain',
  commands: async () => [(await import('./cli/explain.ts')).explain],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: () => ({
    load: async () => (await import('../../../agent/features/explain/agent.ts')).agent,
  }),
};
