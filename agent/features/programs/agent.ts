/** Exchanges, in an agent, the program of its proxy. */
import type { AgentHalf } from '../../core.ts';
import { replaysOf } from '../replay/agent.ts';
import { createExchange } from './exchange.ts';
import { createPrograms } from './programs.ts';
import { programRoutes } from './routes.ts';

export const agent: AgentHalf = (core) => {
  const { proxy } = core;
  const { exchangeable, admin } = proxy;
  const replays = replaysOf(core);
  const exchange = exchangeable && createExchange({ ...core, proxy: exchangeable, admin, replays });
  return {
    routes: programRoutes({
      ...core,
      programs: createPrograms(proxy),
      exchange: exchange && { ...exchange, with: exchangeable },
      replays,
    }),
  };
};
