/** Finds the changes of a refused batch that are at fault. */
import { Failure } from '../../shared/failure.ts';
import { changedVhosts, type Planned, planOf, stepsOf } from './batch.ts';
import { vhostAfter } from './changes.ts';
import type { Gateway } from './gateway.ts';
import type { Waiting } from './queue.ts';
import { forCaller, isRejection } from './refusal.ts';
import type { SiteSet } from './vhost.ts';

/** Changes that are refused, each with its error. */
export type Refusals = Map<Waiting, unknown>;

/** The same error for each of these changes. */
export const refuseAll = (plans: readonly Planned[], error: unknown): Refusals =>
  new Map(plans.map(({ item, plan }) => [item, forCaller(error, plan.steps)] as const));

/**
 * Goes by the line that the refusal names; without one, validates each changed vhost alone.
 * @param next the set that was refused, with all of `plans` applied
 * @returns the changes at fault; `together` if each is accepted alone
 * @throws Failure if the agent can no longer be asked
 */
export async function findCulprits(
  gateway: Gateway,
  plans: readonly Planned[],
  next: SiteSet,
  error: unknown,
): Promise<Refusals | 'together'> {
  if (!isRejection(error)) return refuseAll(plans, error);
  const { vhost, preamble } = error.at;
  if (vhost || preamble) {
    const culprit = vhost && planOf(plans, vhost.id);
    return refuseAll(culprit ? [culprit] : plans, error);
  }
  const [only] = plans;
  if (plans.length === 1 && only) {
    return refuseAll(plans, await explain(gateway, only, next, error));
  }
  const broken = await gateway.findBroken(next, changedVhosts(stepsOf(plans)) ?? []);
  if (broken.length === 0) return 'together';
  return new Map(
    broken.flatMap(({ vhost: { id }, failure }) => {
      const culprit = planOf(plans, id);
      return culprit ? [...refuseAll([culprit], because(error, failure))] : [];
    }),
  );
}

/** A refusal without a line may be due to a vhost that was accepted once and no longer is. */
async function explain(
  gateway: Gateway,
  { plan }: Planned,
  next: SiteSet,
  error: Failure,
): Promise<Failure> {
  const own = new Set(plan.steps.map((step) => vhostAfter(step)?.id));
  const others = next.vhosts.filter(({ id, enabled }) => enabled && (!own.has(id) || own.size > 1));
  const [first] = await gateway.findBroken(next, others).catch(() => []);
  return first ? because(error, first.failure) : error;
}

/** The outcome stays that of the publish; the later validation only explains it. */
const because = ({ code, message, cause }: Failure, { detail, at }: Failure): Failure =>
  new Failure(code, message, { detail, at, cause });
