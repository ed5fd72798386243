/** What a hub makes of the containers beside its proxies. */
import type { HubHalf } from '../../hub/core.ts';
import { refusedLabels } from './problems.ts';
import { containerRoutes } from './routes.ts';
import { createContainerSites } from './sites.ts';

/** Milliseconds. */
export const PACE = {
  settles: 1_000,
  between: 5_000,
  gone: 600_000,
  firstPause: 5_000,
  longestPause: 60_000,
  look: 100,
  retry: 2_000,
  /** Only a restart of the agent gives it an engine. */
  off: 30_000,
};

export const hub: HubHalf = ({ publisher, paced, elapsed, log }) => {
  const pace = paced('containers', PACE);
  const containers = createContainerSites({ publisher, pace, elapsed, log });
  return {
    routes: (api) => containerRoutes({ ...api, containers }),
    problems: () => refusedLabels(containers.unfollowed()),
    begin: containers.begin,
    end: containers.end,
  };
};
