/** A batch: changes that go out together, each planned on top of the ones before it. Pure. */
import { idsAfter, type Plan, type Step } from '../model/changes.ts';
import { isPublished } from '../model/entities.ts';
import { forCaller } from '../model/refusal.ts';
import type { Accepted } from '../model/store.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Applied, Waiting } from './queue.ts';

export type Planned = { item: Waiting; plan: Plan<unknown> };

/** `refused` and `done` follow from the plans before them: they hold only if all are accepted. */
type Batch = {
  plans: Planned[];
  refused: { item: Waiting; error: unknown }[];
  /** Changes that change nothing. */
  done: { item: Waiting; result: unknown }[];
  /** Changes that go out apart from these, by `isApart`. */
  apart: Waiting[];
  /** Changes left for the next batch. */
  later: readonly Waiting[];
};

/** What steps affect: vhosts by their ids, or with anything else every vhost. */
type Affected = ReadonlySet<number | typeof EVERYTHING>;
const EVERYTHING = 'everything';

/**
 * Plans changes in the order they arrived. The batch ends before a vhost would change a second time:
 * the proxy would never see the first of the two versions, and so could not refuse it.
 * @param isApart which changes are left out, as if they had not arrived yet
 */
export async function planBatch(
  accepted: SiteSet,
  items: readonly Waiting[],
  time: Date,
  isApart: (one: Planned) => boolean = () => false,
): Promise<Batch> {
  const batch: Batch = { plans: [], refused: [], done: [], apart: [], later: [] };
  const affected = new Set<number | typeof EVERYTHING>();
  let set = accepted;
  for (const [index, item] of items.entries()) {
    try {
      // It may have waited for long: its author may have lost the right to it.
      item.author.assertAllowed?.();
      const plan = await item.change(set, time);
      if ('done' in plan) {
        batch.done.push({ item, result: plan.done });
        continue;
      }
      if (isApart({ item, plan })) {
        batch.apart.push(item);
        continue;
      }
      const own = affectedBy(plan.steps);
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

const affectedBy = (steps: readonly Step[]): Affected =>
  new Set(
    steps.map((step) =>
      step.kind === 'vhost' ? ((step.after ?? step.before)?.id ?? EVERYTHING) : EVERYTHING,
    ),
  );

/** Whether one of two changes affects what the other does. */
function overlap(one: Affected, other: Affected): boolean {
  if (one.has(EVERYTHING)) return other.size > 0;
  return other.has(EVERYTHING) || !one.isDisjointFrom(other);
}

/** What comes of a publish, for each of its changes. */
export type Ended = Pick<Applied<unknown>, 'behind' | 'open'> & {
  /** Of the entries of each plan. */
  groups: readonly number[];
};

/** Of changes that the proxies need not know. */
export const NOTHING_ENDED: Ended = { behind: [], open: [], groups: [] };

/**
 * Gives every change of a batch its outcome, after all of `plans` were accepted.
 * @param ended what came of those
 */
export function settle({ plans, refused, done }: Batch, { groups, ...ended }: Ended): void {
  for (const [at, { item, plan }] of plans.entries()) {
    item.resolve(appliedOf(item, plan.result, { ...ended, group: groups[at] ?? null }));
  }
  for (const { item, result } of done) item.resolve(appliedOf(item, result, UNCHANGED));
  for (const { item, error } of refused) item.reject(error);
}

const UNCHANGED = { behind: [], open: [], group: null };

const appliedOf = <T>(
  { tried }: Waiting,
  result: T,
  ended: Pick<Applied<T>, 'behind' | 'open' | 'group'>,
): Applied<T> => ({
  result,
  ...ended,
  // Where it is not live, its check has not run either.
  untried: new Map(
    [...tried.values()].flatMap(({ agent, domain, doubt }) =>
      doubt === null || ended.behind.includes(agent) ? [] : [[domain, doubt]],
    ),
  ),
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
      answer: (behind: readonly string[], group: number) =>
        answer(appliedOf(item, plan.result, { behind, open: [], group }), plan.next),
    };
    return { author, plan, ...kept };
  });

export const stepsOf = (plans: readonly Planned[]): Step[] =>
  plans.flatMap(({ plan }) => plan.steps);

/** The last plan that creates or changes a vhost. */
export const planOf = (plans: readonly Planned[], id: number | null): Planned | undefined =>
  plans.findLast(({ plan }) => id !== null && idsAfter(plan.steps).has(id));

export const isChecked = ({ enabled, check }: Vhost): boolean => enabled && check !== null;

export const checkedSteps = (plans: readonly Planned[]): Step[] =>
  stepsOf(plans.filter(({ item }) => !item.unchecked)).filter(isPublished);

export const isOfVhost = ({ kind }: Step): boolean => kind === 'vhost';

/** The vhosts with a check that plans concern without changing them, through the preamble or a policy. */
export function concerned(plans: readonly Planned[], set: SiteSet): Vhost[] {
  const steps = checkedSteps(plans).filter((step) => !isOfVhost(step));
  if (steps.length === 0) return [];
  const isEvery = steps.some(({ kind }) => kind === 'preamble');
  const ids = idsAfter(steps);
  return set.vhosts.filter((one) => isChecked(one) && (isEvery || ids.has(one.id)));
}

/** Whether a site that plans change has to answer as its check says. */
export const areChecked = (plans: readonly Planned[]): boolean =>
  checkedSteps(plans).some((step) => isOfVhost(step) && step.vhosts.some(isChecked));

/** The same of any site that they concern. @param accepted the set that is live */
export const concernChecked = (plans: readonly Planned[], accepted: SiteSet): boolean =>
  areChecked(plans) || concerned(plans, accepted).length > 0;
