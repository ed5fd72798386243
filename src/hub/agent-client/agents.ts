/** The agents of a hub by name, and the streams that are made of several of theirs. */
import { createEndableStreams, type EndableStreams } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { AgentClient } from './client.ts';

export type Agent = Readonly<{ id: number; name: string; client: AgentClient }>;

export type Agents = {
  first(): Agent;
  /** The first agent first, then by name. */
  all(): readonly Agent[];
  /** @throws Failure NOT_FOUND */
  named(name: string): Agent;
  /** Opens a stream that `endStreams` ends. */
  openStream: EndableStreams['open'];
  /** Ends the streams of all agents, which would keep a server from stopping; see `EndableStreams.end`. */
  endStreams(): number;
};

/** @param all as `Agents.all`; called again for each answer */
export function createAgents(all: () => readonly Agent[]): Agents {
  const streams = createEndableStreams();
  return {
    first: () => all()[0] as Agent,
    all,
    named(name) {
      const found = all().find((agent) => agent.name === name);
      if (found) return found;
      throw new Failure('NOT_FOUND', 'There is no such agent.');
    },
    openStream: streams.open,
    // First those over several agents: they would take the end of the others for a loss.
    endStreams: () =>
      [streams, ...all().map(({ client }) => ({ end: client.endStreams }))].reduce(
        (stuck, { end }) => stuck + end(),
        0,
      ),
  };
}

/**
 * The agent that a request is about: the named one, or the only one; null for all together.
 * @throws Failure NOT_FOUND
 */
export function chosen(agents: Agents, name: string | undefined): Agent | null {
  if (name) return agents.named(name);
  const [only, ...others] = agents.all();
  return only && others.length === 0 ? only : null;
}
