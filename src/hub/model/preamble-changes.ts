/** The changes that people make to preambles. Pure. */
import { Failure } from '../../shared/failure.ts';
import { agentNamed } from './applied.ts';
import type { Change, Preamble, StepOf } from './changes.ts';

/** @throws Failure INVALID_REQUEST */
export const preambleChange =
  (config: string): Change<{ success: true }> =>
  (set) => {
    assertText(config);
    if (config === set.preamble) return { done: { success: true } };
    return {
      next: { ...set, preamble: config },
      steps: [preambleStep(null, set.preamble, config)],
      result: { success: true },
    };
  };

/**
 * Gives an agent a preamble of its own, or with null the common one again.
 * @throws Failure INVALID_REQUEST, NOT_FOUND
 */
export const agentPreambleChange =
  (name: string, config: string | null): Change<{ success: true }> =>
  (set) => {
    if (config !== null) assertText(config);
    const agent = agentNamed(name, set);
    if (config === agent.preamble) return { done: { success: true } };
    const after = { ...agent, preamble: config };
    return {
      next: { ...set, agents: set.agents.map((one) => (one === agent ? after : one)) },
      steps: [preambleStep(agent, agent.preamble, config)],
      result: { success: true },
    };
  };

const preambleStep = (
  agent: Preamble['agent'],
  before: string | null,
  after: string | null,
): StepOf<'preamble'> => ({
  kind: 'preamble',
  before: { agent, config: before },
  after: { agent, config: after },
  vhosts: [],
});

function assertText(preamble: string): void {
  if (preamble.isWellFormed()) return;
  const at = { field: 'config' };
  throw new Failure('INVALID_REQUEST', 'The preamble is not valid Unicode.', { at });
}
