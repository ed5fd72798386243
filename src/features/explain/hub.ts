/** Explains sites, for a hub: on demand, and right after a change. */
import type { HubHalf } from '../../hub/core.ts';
import { createChangeFrom } from '../../hub/model/any-operation.ts';
import { createExplain } from './explain.ts';
import { explainRoutes } from './routes.ts';
import { createWarnings } from './warnings.ts';

export const hub: HubHalf = (core) => {
  const explain = createExplain(core);
  const changeFrom = createChangeFrom(core.db, core.publisher.current);
  return {
    routes: (api) => explainRoutes({ ...api, explain }),
    // A cure is a change of a site, which any editor may make.
    warnings: createWarnings(explain, (operation) =>
      changeFrom(operation, { assertOwner: () => undefined }),
    ),
  };
};
