/** The time machine: what was stored at any moment since the changelog began, and the way back to it. */
import type { Feature } from '../../feature.ts';

export const history: Feature = {
  name: 'history',
  commands: async () => {
    const { back, historyCommand } = await import('./cli/history.ts');
    return [historyCommand, back];
  },
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
