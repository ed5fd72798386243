/** Explains sites, for a hub: on demand, right after a change, and when a problem begins. */
import type { HubHalf } from '../../hub/core.ts';
import { createChangeFrom } from '../../hub/model/any-operation.ts';
import { type ChangeFrom, createExplain } from './explain.ts';
import { createCauses } from './problems.ts';
import { explainRoutes } from './routes.ts';
import { createWarnings } from './warnings.ts';

export const hub: HubHalf = (core) => {
  const explain = createExplain(core);
  const change = createChangeFrom(core.db, core.publisher.current);
  // A cure is a change of a site, which any editor may make.
  const changeFrom: ChangeFrom = (operation) => change(operation, { assertOwner: () => undefined });
  const causes = createCauses(explain, core, changeFrom);
  return {
    routes: (api) => explainRoutes({ ...api, explain }),
    warnings: createWarnings(explain, changeFrom, core.publisher.current),
    causes: causes.of,
    async end() {
      causes.end();
    },
  };
};
