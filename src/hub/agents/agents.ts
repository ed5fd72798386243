/** The agents of a hub, for whatever asks them. */
import type { AgentClient } from './client.ts';

export type Agent = Readonly<{ id: number; name: string; client: AgentClient }>;

export type Agents = {
  first(): Agent;
  /** The first agent first, then by name. */
  all(): readonly Agent[];
  /** @throws Failure NOT_FOUND */
  named(name: string): Agent;
};
