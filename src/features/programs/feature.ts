/** The program of Caddy: what is known of it, and the change to another one that is put at PROXY_BIN. */
import type { Feature } from '../../feature.ts';

export const programs: Feature = {
  name: 'programs',
  needs: ['replay'],
  commands: async () => [(await import('./cli/caddy.ts')).caddy],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: () => ({
    load: async () => (await import('../../../agent/features/programs/agent.ts')).agent,
  }),
};
