/** Knows, for a hub, who gets in to each site, and who is refused since it was closed. */
import type { HubHalf } from '../../hub/core.ts';
import { createFindings } from './findings.ts';
import { doorsRoutes } from './routes.ts';
import { createShutOut } from './shut-out.ts';

export const hub: HubHalf = (core) => {
  const findings = createFindings(core);
  return { ...createShutOut(core), routes: (api) => doorsRoutes({ ...api, findings }) };
};
