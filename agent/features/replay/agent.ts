/** Compares, in an agent, what requests of the access log get with what they would get. */
import { memoize } from '../../../src/shared/memoize.ts';
import type { AgentCore, AgentHalf } from '../../core.ts';
import { createReplays, type Replays } from './replays.ts';
import { replayRoutes } from './routes.ts';

/** Those of an agent. One runs at a time, also if another feature begins it. */
export const replaysOf: (core: AgentCore) => Replays = memoize(
  ({ proxy: { adaptAllowed: adapt, adaptLive: live, modules }, ...core }) =>
    createReplays({ ...core, adapt, live, modules }),
);

export const agent: AgentHalf = (core) => {
  const replays = replaysOf(core);
  return {
    routes: replayRoutes(replays, core.bodyLimit),
    end: replays.close,
  };
};
