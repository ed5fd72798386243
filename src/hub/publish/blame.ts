/** Which changes of a refused batch are at fault. */
import type { Failure } from '../../shared/failure.ts';
import { changedVhosts, type Planned, planOf, stepsOf } from './batch.ts';
import { vhostAfter } from './changes.ts';
import type { Gateway } from './gateway.ts';
import type { Waiting } from './queue.ts';
import { addressed, isRejection } from './refusal.ts';
import type { SiteSet } from './vhost.ts';

/** The changes at fault, each with its refusal; `together` if only all of them are refused. */
export type Culprits = Map<Waiting, unknown> | 'together';

/** Finds them by the line that the refusal names, else by validating each change alone. */
export async function findCulprits(
  gateway: Gateway,
  plans: readonly Planned[],
  next: SiteSet,
  error: unknown,
): Promise<Culprits> {
  if (!isRejection(error)) return everybody(plans, error);
  const { vhost, preamble } = error.at;
  if (vhost || preamble) {
    const culprit = vhost && planOf(plans, vhost.id);
    return everybody(culprit ? [culprit] : plans, error);
  }
  const [only] = plans;
  if (plans.length === 1 && only) {
    return everybody(plans, await explain(gateway, only, next, error));
  }
  const alone = await gateway.findBroken(next, changedVhosts(stepsOf(plans)) ?? []);
  if (alone.length === 0) return 'together';
  return new Map(
    alone.flatMap(({ vhost: { id }, failure }) => {
      const culprit = planOf(plans, id);
      return culprit ? [...everybody([culprit], failure)] : [];
    }),
  );
}

/** A refusal without a line may come from a vhost that was accepted once and no longer is. */
async function explain(
  gateway: Gateway,
  { plan }: Planned,
  next: SiteSet,
  error: Failure,
): Promise<Failure> {
  const own = new Set(plan.steps.map((step) => vhostAfter(step)?.id));
  const others = next.vhosts.filter(({ id, enabled }) => enabled && (!own.has(id) || own.size > 1));
  const [first] = await gateway.findBroken(next, others).catch(() => []);
  return first?.failure ?? error;
}

/** The same error for each of these changes. */
export const everybody = (plans: readonly Planned[], error: unknown): Map<Waiting, unknown> =>
  new Map(plans.map(({ item, plan }) => [item, addressed(error, plan.steps)] as const));
