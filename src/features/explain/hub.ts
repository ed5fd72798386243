/** Explains sites, for a hub: on demand, right after a change, and when a problem begins. */
import type { HubHalf } from '../../hub/core.ts';
import { createChangeFrom } from '../../hub/model/any-operation.ts';
import { type ChangeFrom, createExplain } from './explain.ts';
import { createFailingSites } from './failing.ts';
import { createCauses } from './problems.ts';
import { explainRoutes } from './routes.ts';
import { createWarnings } from './warnings.ts';

/** Milliseconds. */
const PACE = {
  /** From one look at what visitors of failing sites get to the next: as often as the hub's watcher looks. */
  look: 5_000,
};

export const hub: HubHalf = (core) => {
  const failing = createFailingSites(core, core.paced('explain', PACE).look);
  const explain = createExplain(core, failing.note);
  const change = createChangeFrom(core.db, core.publisher.current);
  // A cure is a change of a site, which any editor may make.
  const changeFrom: ChangeFrom = (operation) => change(operation, { assertOwner: () => undefined });
  const causes = createCauses(explain, core, failing.follow, changeFrom);
  return {
    routes: (api) => explainRoutes({ ...api, explain }),
    warnings: createWarnings(explain, changeFrom, core.publisher.current),
    causes: causes.of,
    failing: failing.of,
    begin: failing.begin,
    end() {
      causes.end();
      return failing.end();
    },
  };
};
