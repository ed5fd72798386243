/** What a change would do, by the proxies that it concerns; nothing changes anywhere. */
import type { Failure } from '../../shared/failure.ts';
import type { Change, Outcome, Step } from '../model/changes.ts';
import { assertPlanContained, type Dialect } from '../model/containment.ts';
import { forCaller, isRejection } from '../model/refusal.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Targets } from './targets.ts';
import { type Tried, tryOut } from './trial.ts';

export type PreviewDeps = {
  targets: Targets;
  /** The set that is accepted and stored. */
  stored: () => SiteSet;
  /** Of all proxies, by their agents' ids. */
  dialectsOf: (set: SiteSet) => Promise<Map<number, Dialect>>;
  now: () => Date;
};

export type Previewed = {
  /** The set that the change leads to. */
  next: SiteSet;
  /** Why it would be refused. */
  refusal: Failure | null;
  /** How its sites would answer; none if they were not to be tried, or it would be refused. */
  tried: readonly Tried[];
};

/**
 * @param tries whether its sites are tried as well
 * @throws Failure if the change cannot be planned, or agent or proxy cannot be asked
 */
export type Preview = (change: Change<unknown>, tries?: boolean) => Promise<Previewed>;

export function createPreview({ targets, stored, dialectsOf, now }: PreviewDeps): Preview {
  return async (change, tries = false) => {
    const set = stored();
    const plan = await change(set, now());
    const { next, steps } = 'done' in plan ? { next: set, steps: unchanged(set, plan) } : plan;
    const { asked, skipped } = targets.destinations(steps, next);
    try {
      if (!('done' in plan)) {
        await assertPlanContained(plan, await dialectsOf(next));
        const [away] = skipped.values();
        if (asked.length === 0 && away) throw away;
        await Promise.all(asked.map((target) => target.check(plan)));
      }
    } catch (error) {
      const refusal = forCaller(error, steps);
      if (isRejection(refusal)) return { next, refusal, tried: [] };
      throw refusal;
    }
    const tried = tries ? await tryOut(asked, steps, next, targets.areSeveral()) : [];
    return { next, refusal: null, tried };
  };
}

/** A site that is already as the change wants it can be tried, too. */
const unchanged = ({ vhosts }: SiteSet, plan: Outcome<unknown> & { done: unknown }): Step[] =>
  vhosts
    .filter((vhost) => vhost === plan.done)
    .map((vhost) => ({ kind: 'update', before: vhost, after: vhost }));
