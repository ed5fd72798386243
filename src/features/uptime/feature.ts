/** How sites with a check answer between changes: what fails is a problem, and the rest is kept by the hour. */
import type { Feature } from '../../feature.ts';

export const uptime: Feature = {
  name: 'uptime',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
