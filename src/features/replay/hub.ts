/** Asks, for a hub, the requests of the last days of a change. */
import type { HubHalf } from '../../hub/core.ts';
import { createReplays } from './replays.ts';
import { replayRoutes } from './routes.ts';

export const hub: HubHalf = ({ publisher, now }) => {
  const replays = createReplays({ publisher, now });
  return {
    routes: (api) => replayRoutes({ ...api, replays }),
    startReplay: (change) => replays.start(change),
    end: replays.stop,
  };
};
