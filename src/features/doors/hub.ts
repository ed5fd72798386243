/** Knows, for a hub, who gets in to each site. */
import type { HubHalf } from '../../hub/core.ts';
import { createFindings } from './findings.ts';
import { doorsRoutes } from './routes.ts';

export const hub: HubHalf = (core) => {
  const findings = createFindings(core);
  return { routes: (api) => doorsRoutes({ ...api, findings }) };
};
