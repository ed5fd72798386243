/** What to do about the refusal of a proxy. */
import { Failure } from '../../shared/failure.ts';
import { isPublished } from '../model/changes.ts';
import { setFor } from '../model/placement.ts';
import { isRejection, isTooLarge } from '../model/refusal.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, stepsOf } from './batch.ts';
import { findCulprits, findStale, type Refusals, refuseAll } from './blame.ts';
import type { Target } from './target.ts';

/** A set that a proxy has refused, and the plans that lead to it from the accepted one. */
export type Refused = {
  target: Target;
  error: unknown;
  plans: readonly Planned[];
  accepted: SiteSet;
  next: SiteSet;
  /** Whether the hub has several agents, so that a refusal has to name the one. */
  isOneOfSeveral: boolean;
};

/**
 * @returns the changes at fault; `together` if each is accepted alone; `again` if stored vhosts were at
 * fault, which are left out from now on
 * @throws Failure if the agent can no longer be asked
 */
export async function judge(refused: Refused): Promise<Refusals | 'together' | 'again'> {
  const { target, error, plans, accepted, next } = refused;
  const named = <T>(failure: T): T | Failure =>
    refused.isOneOfSeveral && failure instanceof Failure
      ? failure.about({ ...failure.at, agent: target.agent().name })
      : failure;
  if (error instanceof Failure && error.code === 'OTHER_HUB') {
    // Even a change that may replace what another hub published does not overrule a promotion.
    const careful = plans.filter(({ item }) => !item.replace);
    return refuseAll(careful.length > 0 ? careful : plans, named(error));
  }
  if (isTooLarge(error) && plans.length > 1) return 'together';
  if (!isRejection(error) || isTooLarge(error)) return refuseAll(plans, named(error));
  const { gateway, leftOut } = target;
  const steps = stepsOf(plans).filter(isPublished);
  const [before, after] = [leftOut.of(setFor(accepted, target.id)), target.next(next, steps)];
  const stale = await findStale(gateway, before, after, steps, error);
  const [broken] = stale.broken;
  if (!broken) return findCulprits(gateway, plans, after, named(error));
  // It is still served, and would not be any more: only its own change is worth that.
  if (!(await target.isAboutBroken(steps))) return refuseAll(plans, named(broken.failure));
  leftOut.add(stale);
  return 'again';
}
