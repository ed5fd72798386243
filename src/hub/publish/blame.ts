/** Whose fault a refused publish is. */
import { Failure } from '../../shared/failure.ts';
import { changedVhosts, isRejection, type Planned, planOf, type Waiting } from './batch.ts';
import { blamedBy, type Gateway } from './gateway.ts';
import type { SiteSet } from './vhost.ts';

/** The changes to blame and what each hears; `together` where only all of them are refused. */
export type Culprits = Map<Waiting, unknown> | 'together';

/** Who of a refused group is at fault: by the line, else each by itself, else only together. */
export async function findCulprits(
  gateway: Gateway,
  plans: readonly Planned[],
  next: SiteSet,
  error: unknown,
): Promise<Culprits> {
  if (!isRejection(error)) return everybody(plans, error);
  const place = blamedBy(error);
  if (place !== undefined) {
    const culprit = place === null ? undefined : planOf(plans, place);
    return culprit
      ? new Map([[culprit.item, named(error, culprit, next, place)]])
      : everybody(plans, error);
  }
  const [only] = plans;
  if (plans.length === 1 && only)
    return new Map([[only.item, await explain(gateway, only, next, error)]]);
  const alone = await gateway.findBroken(next, changedVhosts(plans) ?? []);
  if (alone.length === 0) return 'together';
  return new Map(
    alone.flatMap(({ vhost, failure }) => {
      const culprit = planOf(plans, vhost.id);
      return culprit ? [[culprit.item, failure] as const] : [];
    }),
  );
}

/** A refusal without a line may come from a vhost that was taken once and no longer is. */
async function explain(
  gateway: Gateway,
  { plan }: Planned,
  next: SiteSet,
  error: Failure,
): Promise<unknown> {
  const own = new Set(plan.steps.map((step) => step.kind === 'vhost' && step.after?.id));
  const others = next.vhosts.filter(({ id, enabled }) => enabled && (!own.has(id) || own.size > 1));
  const [first] = await gateway.findBroken(next, others).catch(() => []);
  if (!first) return error;
  const detail = `in ${first.vhost.domain}: ${first.failure.detail ?? ''}`;
  return new Failure(error.code, error.message, { detail });
}

/** A change of several vhosts hears which one is meant. */
function named(error: Failure, { plan }: Planned, next: SiteSet, id: number | null): Failure {
  const vhost = next.vhosts.find((one) => one.id === id);
  if (plan.steps.length < 2 || !vhost) return error;
  const detail = `in ${vhost.domain}, ${error.detail ?? ''}`;
  return new Failure(error.code, error.message, { detail });
}

/** None can be told apart: all hear the same. */
export const everybody = (plans: readonly Planned[], error: unknown) =>
  new Map(plans.map(({ item }) => [item, error] as const));
