/** What a feature may rely on in the agent, and what it can bring there. */
import type { AnyElysia } from 'elysia';
import type { Log } from '../src/shared/log.ts';
import type { Collector } from '../src/shared/observe/metrics.ts';
import type { Paced } from '../src/shared/paced.ts';

/** The parts of the agent that are there before those of features. */
export type AgentCore = Readonly<{
  /** Caddy's access log. */
  accessLog: string;
  /** Its intervals, at the pace of this agent. */
  paced: Paced;
  /** Shows a sentence in the status, by a key; null: no more. */
  warn: (key: string, sentence: string | null) => void;
  log: Log;
}>;

export type AgentHalf = (core: AgentCore) => AgentPart;

export type AgentPart = Readonly<{
  /** They answer only with the agent's token. */
  routes?: AnyElysia;
  /** For each scrape. */
  collect?: Collector;
  /** Before Caddy starts, so that it sees the very first entry of the access log. */
  begin?: () => void;
  /** First of all, so that nobody who waits for an answer keeps the agent from stopping. */
  end?: () => void | Promise<void>;
}>;
