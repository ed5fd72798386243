/** A batch: changes that go out together, each planned on top of the ones before it. Pure. */
import { idsAfter, type Plan, type Step } from '../model/changes.ts';
import { forCaller } from '../model/refusal.ts';
import type { Accepted } from '../model/store.ts';
import { changedFields, type SiteSet, type Vhost } from '../model/vhost.ts';
import type { Waiting } from './queue.ts';

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

/** What a step affects: a vhost by its id, or with the preamble or a policy every vhost. */
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

function affectedBy(step: Step): Affected {
  if (step.kind === 'preamble' || step.kind === 'policy' || step.kind === 'agent')
    return EVERYTHING;
  return step.kind === 'delete' ? step.before.id : step.after.id;
}

function overlap(one: ReadonlySet<Affected>, other: ReadonlySet<Affected>): boolean {
  if (one.has(EVERYTHING)) return other.size > 0;
  return other.has(EVERYTHING) || !one.isDisjointFrom(other);
}

/**
 * Gives every change of a batch its outcome, after all of `plans` were accepted.
 * @param behind the names of the agents whose proxies lack them
 */
export function settle({ plans, refused, done }: Batch, behind: readonly string[]): void {
  for (const { item, plan } of plans) item.resolve({ result: plan.result, behind });
  for (const { item, result } of done) item.resolve({ result, behind: [] });
  for (const { item, error } of refused) item.reject(error);
}

/** Changes that are refused, each with its error. */
export type Refusals = Map<Waiting, unknown>;

/** The same error for each of these changes. */
export const refuseAll = (plans: readonly Planned[], error: unknown): Refusals =>
  new Map(plans.map(({ item, plan }) => [item, forCaller(error, plan.steps)] as const));

/** What is to be recorded of plans that are live. */
export const acceptedOf = (plans: readonly Planned[]): Accepted[] =>
  plans.map(({ item: { author }, plan }) => ({ author, plan }));

export const stepsOf = (plans: readonly Planned[]): Step[] =>
  plans.flatMap(({ plan }) => plan.steps);

/**
 * The vhosts that the proxy has to validate, all of them enabled: a disabled vhost's config must be
 * acceptable too. Leaves out vhosts that are only switched off, and those that get only tags or a check.
 * @param most how many of the enabled vhosts of a policy are enough
 * @returns undefined if the preamble changes: then every vhost has to be validated
 */
export function changedVhosts(
  steps: readonly Step[],
  most = Number.POSITIVE_INFINITY,
): Vhost[] | undefined {
  const changed = new Map<number, Vhost>();
  for (const step of steps) {
    if (step.kind === 'preamble') return undefined;
    if (step.kind === 'agent') continue;
    if (step.kind === 'delete') {
      changed.delete(step.before.id);
    } else if (step.kind === 'policy') {
      const enabled = step.vhosts.filter((vhost) => vhost.enabled).slice(0, most);
      const disabled = step.vhosts.filter((vhost) => !vhost.enabled);
      for (const vhost of enabled) changed.set(vhost.id, vhost);
      for (const vhost of disabled) changed.set(vhost.id, { ...vhost, enabled: true });
    } else if (isUnseen(step) && !changed.has(step.after.id)) {
      // It is as the proxy has accepted it.
    } else if (step.after.enabled) {
      changed.set(step.after.id, step.after);
    } else if (step.kind === 'create' || hasNewText(step)) {
      changed.set(step.after.id, { ...step.after, enabled: true });
    }
  }
  return [...changed.values()];
}

/** Whether a step changes nothing that the proxy sees. */
const isUnseen = (step: Step): boolean =>
  step.kind === 'update' &&
  changedFields(step.before, step.after).every((field) => field === 'tags' || field === 'check');

const hasNewText = ({ before, after }: { before: Vhost; after: Vhost }): boolean =>
  changedFields(before, after).some((field) => field !== 'enabled');

/** The last plan that creates or changes a vhost. */
export const planOf = (plans: readonly Planned[], id: number | null): Planned | undefined =>
  plans.findLast(({ plan }) => id !== null && idsAfter(plan.steps).has(id));
