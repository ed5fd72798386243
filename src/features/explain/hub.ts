/** Explains sites, for a hub. */
import type { HubHalf } from '../../hub/core.ts';
import { createExplain } from './explain.ts';
import { explainRoutes } from './routes.ts';

export const hub: HubHalf = (core) => {
  const explain = createExplain(core);
  return { routes: (api) => explainRoutes({ ...api, explain }) };
};
