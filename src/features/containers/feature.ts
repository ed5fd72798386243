/** Containers beside a proxy: their list, and sites that follow their labels. */
import type { Feature } from '../../feature.ts';
import { readAgentHalf } from './settings.ts';

export const containers: Feature = {
  name: 'containers',
  needs: ['apply'],
  commands: async () => [(await import('./cli/containers.ts')).containers],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: readAgentHalf,
};
