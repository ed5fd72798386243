/** What a feature may rely on in the agent, and what it can bring there. */
import type { AnyElysia } from 'elysia';
import type { Log } from '../src/shared/log.ts';
import type { Paced } from '../src/shared/paced.ts';

/** The parts of the agent that are there before those of features. */
export type AgentCore = Readonly<{
  /** Its intervals, at the pace of this agent. */
  paced: Paced;
  log: Log;
}>;

export type AgentHalf = (core: AgentCore) => AgentPart;

export type AgentPart = Readonly<{
  /** They answer only with the agent's token. */
  routes?: AnyElysia;
  /** Once Caddy runs. */
  begin?: () => void;
  /** First of all, so that nobody who waits for an answer keeps the agent from stopping. */
  end?: () => void;
}>;
