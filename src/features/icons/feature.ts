/** The icons of sites: each is asked for once, through Caddy as a visitor would, and kept by the hub. */
import type { Feature } from '../../feature.ts';

export const icons: Feature = {
  name: 'icons',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: () => ({
    load: async () => (await import('../../../agent/features/icons/agent.ts')).agent,
  }),
};
