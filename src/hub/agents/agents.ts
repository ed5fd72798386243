/** The agents of a hub, asked one by one or at the same time, without waiting for those known to be offline. */
import { Failure } from '../../shared/failure.ts';
import type { AgentClient } from './client.ts';

export type Agent = Readonly<{ id: number; name: string; client: AgentClient }>;

export type Agents = {
  first(): Agent;
  /** The first agent first, then by name. */
  all(): readonly Agent[];
  /** @throws Failure NOT_FOUND */
  named(name: string): Agent;
};

/** What the agents answered, in their order, and the names of those that could not be reached, sorted. */
type Together<T> = { answers: { agent: Agent; answer: T }[]; missing: string[] };

/** How long an agent may take to answer again; only the next call depends on it. */
const LOOK_MS = 2_000;

/**
 * @throws Failure AGENT_UNREACHABLE or PROXY_UNREACHABLE if none can be reached, and whatever else `ask` throws
 */
export async function askAll<T>(
  agents: readonly Agent[],
  ask: (agent: Agent) => Promise<T>,
): Promise<Together<T>> {
  const awake = agents.filter(({ client }) => !client.isSilent());
  // The others are not kept waiting for them, unless there are no others.
  const asked = awake.length > 0 ? awake : agents;
  const missing: string[] = [];
  for (const agent of agents) {
    if (asked.includes(agent)) continue;
    missing.push(agent.name);
    void agent.client.answers(LOOK_MS);
  }
  const settled = await Promise.allSettled(asked.map(ask));
  const answers: { agent: Agent; answer: T }[] = [];
  let failure: Failure | undefined;
  for (const [i, agent] of asked.entries()) {
    const outcome = settled[i] as PromiseSettledResult<T>;
    if (outcome.status === 'fulfilled') {
      answers.push({ agent, answer: outcome.value });
      continue;
    }
    if (!isUnreachable(outcome.reason)) throw outcome.reason;
    failure ??= outcome.reason;
    missing.push(agent.name);
  }
  if (answers.length === 0)
    throw failure ?? new Failure('AGENT_UNREACHABLE', 'No agent is reachable.');
  return { answers, missing: missing.toSorted() };
}

const isUnreachable = (error: unknown): error is Failure =>
  error instanceof Failure &&
  (error.code === 'AGENT_UNREACHABLE' || error.code === 'PROXY_UNREACHABLE');

/**
 * The agent that a request is about: the named one, or the only one; null for all together.
 * @throws Failure NOT_FOUND
 */
export function chosen(agents: Agents, name: string | undefined): Agent | null {
  if (name) return agents.named(name);
  const [only, ...others] = agents.all();
  return only && others.length === 0 ? only : null;
}
