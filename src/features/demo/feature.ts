/** A made-up home to look at: its command starts a hub of its own, and no other hub has any of it. */
import type { Feature } from '../../feature.ts';

export const demo: Feature = {
  name: 'demo',
  needs: ['uptime'],
  commands: async () => [(await import('./cli/demo.ts')).demo],
};
