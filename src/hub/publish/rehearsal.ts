/** A dry run: what a change would do, or what it would be refused with, as far as that can be said beforehand. */
import type { Change } from '../model/changes.ts';
import type { Store } from '../model/store.ts';
import type { SiteSet } from '../model/vhost.ts';
import { concernChecked } from './batch.ts';
import { destinationsOf, type Preview } from './preview.ts';
import type { Demands, Waiting } from './queue.ts';
import { missing } from './rollout.ts';
import { importFirst, notRestorable } from './target/standing.ts';
import { type TrialDeps, tryOut } from './trial.ts';

/** Nothing changes anywhere. @throws what the change would be refused with */
export type Rehearse = <T>(
  change: Change<T>,
  demands: Pick<Demands, 'replace' | 'requireAll'>,
) => Promise<{ result: T; next: SiteSet }>;

export function createRehearsal(
  deps: TrialDeps & { preview: Preview; store: Store; now: () => Date },
): Rehearse {
  const { targets, accepted, preview, store, now } = deps;

  return async (change, { replace = false, requireAll = false }) => {
    const set = accepted();
    const plan = await change(set, now());
    if ('done' in plan) return { result: plan.done, next: set };
    const { result, next } = plan;
    const { refusal } = await preview(() => plan);
    if (refusal) throw refusal;
    const { skipped } = destinationsOf(targets, plan);
    const [away] = skipped.values();
    if (requireAll && away) throw missing([...skipped.keys()], away);
    const item: Waiting = { ...NOBODYS, tried: new Map(), change: () => plan, replace, requireAll };
    const isTried = concernChecked([{ item, plan }], set);
    if (!store.hasPublished()) {
      const status = await targets.first().status();
      if (status.foreign && !replace) throw importFirst(status, store);
      if (status.foreign && isTried) throw notRestorable();
    }
    if (isTried) {
      const outcome = await tryOut(deps, [{ item, plan }], next);
      if (typeof outcome === 'object' && 'refused' in outcome) throw outcome.refused.get(item);
    }
    return { result, next };
  };
}

/** What a change needs besides to be tried: nobody waits for its outcome. */
const NOBODYS = {
  author: { userId: '', userName: '', via: null },
  unchecked: false,
  answer: null,
  requestIds: [],
  resolve() {},
  reject() {},
};
