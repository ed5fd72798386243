/** The changes that people make to agents. Pure. */
import { Failure } from '../../shared/failure.ts';
import { assertName, FIRST_AGENT, firstThenByName, type StoredAgent } from './agent.ts';
import { agentNamed } from './applied.ts';
import { type Change, type Step, vhostStep } from './changes.ts';
import { containersOf } from './source.ts';

/** @throws Failure INVALID_REQUEST, AGENT_TAKEN */
export function assertAgentName(name: string, others: readonly StoredAgent[]): void {
  assertName(name);
  if (others.some((agent) => agent.name === name)) {
    throw new Failure('AGENT_TAKEN', `There is already an agent ${name}.`, {
      at: { field: 'name' },
    });
  }
}

/** What is known of a new agent. */
type NewAgent = Pick<StoredAgent, 'id' | 'name' | 'url' | 'fingerprint'>;

/** @throws Failure INVALID_REQUEST, AGENT_TAKEN */
export const createAgentChange =
  (agent: NewAgent): Change<StoredAgent> =>
  (set, time) => {
    assertAgentName(agent.name, set.agents);
    const after: StoredAgent = {
      ...agent,
      generation: 1,
      paused: false,
      preamble: null,
      createdAt: time,
      updatedAt: time,
    };
    return {
      next: {
        ...set,
        agents: [...set.agents, after].toSorted(firstThenByName),
        nextAgentId: Math.max(set.nextAgentId, after.id + 1),
      },
      steps: [{ kind: 'agent', before: null, after, vhosts: [] }],
      result: after,
    };
  };

export type AgentInput = {
  name?: string | undefined;
  paused?: boolean | undefined;
  generation?: number;
  url?: string;
};

/** The sites of its containers follow its name. @throws Failure NOT_FOUND, INVALID_REQUEST, AGENT_TAKEN */
export const updateAgentChange =
  (name: string, input: AgentInput): Change<StoredAgent> =>
  (set, time) => {
    const before = agentNamed(name, set);
    const after = {
      ...before,
      name: input.name ?? before.name,
      paused: input.paused ?? before.paused,
      generation: input.generation ?? before.generation,
      url: input.url ?? before.url,
      updatedAt: time,
    };
    if (after.name !== before.name) {
      if (before.id === FIRST_AGENT) {
        const message = 'The name of the first agent is the setting AGENT_NAME.';
        throw new Failure('INVALID_REQUEST', message, { at: { field: 'name' } });
      }
      assertAgentName(after.name, set.agents);
    }
    const { paused, generation } = before;
    const isSame =
      after.name === name && after.paused === paused && after.generation === generation;
    if (isSame) return { done: before };
    const agents = set.agents.map((agent) => (agent === before ? after : agent));
    const steps: Step[] = [{ kind: 'agent', before, after, vhosts: [] }];
    const vhosts = set.vhosts.map((vhost) => {
      if (vhost.source !== containersOf(name) || after.name === name) return vhost;
      const renamed = { ...vhost, source: containersOf(after.name), updatedAt: time };
      steps.push(vhostStep(vhost, renamed));
      return renamed;
    });
    return {
      next: { ...set, vhosts, agents: agents.toSorted(firstThenByName) },
      steps,
      result: after,
    };
  };

/** Takes an agent out; it must not be the only one of a vhost. @throws Failure NOT_FOUND, AGENT_IN_USE */
export const deleteAgentChange =
  (name: string): Change<StoredAgent> =>
  (set, time) => {
    const before = agentNamed(name, set);
    if (before.id === FIRST_AGENT) {
      const message = 'The first agent cannot be removed: AGENT_URL names it.';
      throw new Failure('AGENT_IN_USE', message, { hint: 'Pause it instead.' });
    }
    const alone = set.vhosts.filter(({ agents }) => agents.length === 1 && agents[0] === before.id);
    if (alone.length > 0) {
      throw new Failure('AGENT_IN_USE', 'Some sites run only on this agent.', {
        detail: `Placed there: ${alone.map(({ domain }) => domain).join(', ')}.`,
        hint: 'Move them to another agent first: to delete them, this one would have to answer.',
      });
    }
    const steps: Step[] = [];
    const vhosts = set.vhosts.map((vhost) => {
      if (!vhost.agents.includes(before.id)) return vhost;
      const agents = vhost.agents.filter((id) => id !== before.id);
      const after = { ...vhost, agents, updatedAt: time };
      steps.push(vhostStep(vhost, after));
      return after;
    });
    return {
      next: { ...set, vhosts, agents: set.agents.filter((agent) => agent !== before) },
      steps: [...steps, { kind: 'agent', before, after: null, vhosts: [] }],
      result: before,
    };
  };
