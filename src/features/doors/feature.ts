/** "What have I left open?": who gets in to each site, who came, and closing what nobody uses from outside. */
import type { Feature } from '../../feature.ts';

export const doors: Feature = {
  name: 'doors',
  needs: ['replay'],
  commands: async () => [(await import('./cli/doors.ts')).doorsCommand],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: () => ({
    load: async () => (await import('../../../agent/features/doors/agent.ts')).agent,
  }),
};
