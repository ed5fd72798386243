/** What a hub learns of sites with a check between changes. */
import type { HubHalf } from '../../hub/core.ts';
import { uptimeRoutes } from './routes.ts';
import { createUptime } from './uptime.ts';

/** Milliseconds. */
const PACE = {
  /** From one look at which are due to the next: those of a second are asked in one call. */
  look: 1_000,
  /** What a check calls a second. */
  second: 1_000,
  /** What they answered is stored this often: a crash loses no more, and disks last. */
  store: 300_000,
};

export const hub: HubHalf = (core) => {
  const uptime = createUptime(core, core.paced('uptime', PACE));
  return {
    routes: (api) => uptimeRoutes(api, uptime),
    checks: uptime,
    begin: uptime.begin,
    end: uptime.end,
  };
};
