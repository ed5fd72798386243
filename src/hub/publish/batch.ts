/** A batch: changes that go out together, each planned on top of the ones before it. Pure. */
import { idsAfter, type Plan, type Step } from '../model/changes.ts';
import { forCaller } from '../model/refusal.ts';
import type { Accepted } from '../model/store.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Applied, Waiting } from './queue.ts';

export type Planned = { item: Waiting; plan: Plan<unknown> };

/** `refused` and `done` follow from the plans before them: they hold only if all are accepted. */
export type Batch = {
  plans: Planned[];
  refused: { item: Waiting; error: unknown }[];
  /** Changes that change nothing. */
  done: { item: Waiting; result: unknown }[];
  /** Changes left for the next batch. */
  later: readonly Waiting[];
};

/** What a step affects: a vhost by its id, or with anything else every vhost. */
type Affected = number | typeof EVERYTHING;
const EVERYTHING = 'everything';

/**
 * Plans changes in the order they arrived. The batch ends before a vhost would change a second time:
 * the proxy would never see the first of the two versions, and so could not refuse it.
 */
export async function planBatch(
  accepted: SiteSet,
  items: readonly Waiting[],
  time: Date,
): Promise<Batch> {
  const batch: Batch = { plans: [], refused: [], done: [], later: [] };
  const affected = new Set<Affected>();
  let set = accepted;
  for (const [index, item] of items.entries()) {
    try {
      const plan = await item.change(set, time);
      if ('done' in plan) {
        batch.done.push({ item, result: plan.done });
        continue;
      }
      const own = new Set(plan.steps.map(affectedBy));
      if (overlap(own, affected)) {
        batch.later = items.slice(index);
        return batch;
      }
      for (const one of own) affected.add(one);
      batch.plans.push({ item, plan });
      set = plan.next;
    } catch (error) {
      batch.refused.push({ item, error });
    }
  }
  return batch;
}

const affectedBy = (step: Step): Affected =>
  step.kind === 'vhost' ? ((step.after ?? step.before)?.id ?? EVERYTHING) : EVERYTHING;

function overlap(one: ReadonlySet<Affected>, other: ReadonlySet<Affected>): boolean {
  if (one.has(EVERYTHING)) return other.size > 0;
  return other.has(EVERYTHING) || !one.isDisjointFrom(other);
}

/** What comes of a publish, for each of its changes. */
export type Ended = Pick<Applied<unknown>, 'behind' | 'open'>;

/** Of changes that the proxies need not know. */
export const NOTHING_ENDED: Ended = { behind: [], open: [] };

/**
 * Gives every change of a batch its outcome, after all of `plans` were accepted.
 * @param ended what came of those
 */
export function settle({ plans, refused, done }: Batch, ended: Ended): void {
  for (const { item, plan } of plans) item.resolve(appliedOf(item, plan.result, ended));
  for (const { item, result } of done) item.resolve(appliedOf(item, result, NOTHING_ENDED));
  for (const { item, error } of refused) item.reject(error);
}

const appliedOf = <T>({ trial }: Waiting, result: T, ended: Ended): Applied<T> => ({
  result,
  ...ended,
  untried: trial?.untried ?? new Map(),
});

/** Changes that are refused, each with its error. */
export type Refusals = Map<Waiting, unknown>;

/** The same error for each of these changes. */
export const refuseAll = (plans: readonly Planned[], error: unknown): Refusals =>
  new Map(plans.map(({ item, plan }) => [item, forCaller(error, plan.steps)] as const));

/** What is to be recorded of plans that are live. */
export const acceptedOf = (plans: readonly Planned[]): Accepted[] =>
  plans.map(({ item, plan }) => {
    const { author, answer } = item;
    const kept = answer && {
      answer: (behind: readonly string[]) =>
        answer(appliedOf(item, plan.result, { behind, open: [] }), plan.next),
    };
    return { author, plan, ...kept };
  });

export const stepsOf = (plans: readonly Planned[]): Step[] =>
  plans.flatMap(({ plan }) => plan.steps);

/** The last plan that creates or changes a vhost. */
export const planOf = (plans: readonly Planned[], id: number | null): Planned | undefined =>
  plans.findLast(({ plan }) => id !== null && idsAfter(plan.steps).has(id));
