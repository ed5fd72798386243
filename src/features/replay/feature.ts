/** "Ask the last week": which logged requests would get other answers after a change. */
import type { Feature } from '../../feature.ts';

export const replay: Feature = {
  name: 'replay',
  commands: async () => [(await import('./cli/replay.ts')).replay],
  questions: async () => [(await import('./cli/question.ts')).question],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
  agent: () => ({
    load: async () => (await import('../../../agent/features/replay/agent.ts')).agent,
  }),
};
