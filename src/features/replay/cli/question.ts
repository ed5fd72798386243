/** The option `--replay` of commands that plan a change. */
import type { PlanQuestion } from '../../../program/cli/api/plan-question.ts';
import { createReplaying, printReplayOf } from './replaying.ts';

export const question: PlanQuestion = {
  name: 'replay',
  summary: 'ask what it would have done to logged requests',
  prints: 'what "signalbox replay" does',
  begin(hub, signals) {
    const replaying = createReplaying(hub, signals);
    return {
      ...replaying,
      print: (command, begun, write, cli) =>
        printReplayOf(command, begun, replaying, { write, cli }),
    };
  },
};
