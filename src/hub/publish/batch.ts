/** Changes that wait together, planned in order of arrival against what is accepted. Pure. */
import { type Plan, type Step, vhostAfter } from './changes.ts';
import type { Waiting } from './queue.ts';
import type { SiteSet, Vhost } from './vhost.ts';

export type Planned = { item: Waiting; plan: Plan<unknown> };

/** `refused` and `done` hold only if all of `plans` are accepted: they were planned after those. */
export type Batch = {
  plans: Planned[];
  refused: { item: Waiting; error: unknown }[];
  done: { item: Waiting; result: unknown }[];
  /** Changes that have to wait for the next batch. */
  later: readonly Waiting[];
};

/** The preamble affects every vhost. */
const EVERYTHING = 'everything';
type Affected = number | typeof EVERYTHING;

/**
 * Each change is planned against the set that the ones before it leave. A batch ends before a vhost
 * would change a second time: each change has to be fit to be served by itself.
 */
export function planBatch(accepted: SiteSet, items: readonly Waiting[], time: Date): Batch {
  const batch: Batch = { plans: [], refused: [], done: [], later: [] };
  const affected = new Set<Affected>();
  let set = accepted;
  for (const [index, item] of items.entries()) {
    try {
      const plan = item.change(set, time);
      if ('done' in plan) {
        batch.done.push({ item, result: plan.done });
        continue;
      }
      const own = new Set(plan.steps.map(affectedBy));
      const isApart = own.has(EVERYTHING) ? affected.size > 0 : affected.has(EVERYTHING);
      if (isApart || !own.isDisjointFrom(affected)) {
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
  if (step.kind === 'preamble') return EVERYTHING;
  return step.kind === 'delete' ? step.before.id : step.after.id;
}

/** Answers every change of a batch whose plans were accepted. */
export function settle({ plans, refused, done }: Batch): void {
  for (const { item, plan } of plans) item.resolve(plan.result);
  for (const { item, result } of done) item.resolve(result);
  for (const { item, error } of refused) item.reject(error);
}

export const stepsOf = (plans: readonly Planned[]): Step[] =>
  plans.flatMap(({ plan }) => plan.steps);

/**
 * The vhosts to validate, enabled, because a disabled vhost's config is checked as if it were. One
 * that is only switched off needs no check. Undefined if the preamble changes, which affects all.
 */
export function changedVhosts(steps: readonly Step[]): Vhost[] | undefined {
  const changed = new Map<number, Vhost>();
  for (const step of steps) {
    if (step.kind === 'preamble') return undefined;
    if (step.kind === 'delete') changed.delete(step.before.id);
    else if (step.after.enabled || step.kind === 'create' || hasNewText(step)) {
      changed.set(
        step.after.id,
        step.after.enabled ? step.after : { ...step.after, enabled: true },
      );
    }
  }
  return [...changed.values()];
}

const TEXTS = ['domain', 'config', 'upstream'] as const;
const hasNewText = ({ before, after }: { before: Vhost; after: Vhost }): boolean =>
  TEXTS.some((field) => after[field] !== before[field]);

/** The last plan that leaves a vhost of this id. */
export const planOf = (plans: readonly Planned[], id: number | null): Planned | undefined =>
  plans.findLast(({ plan }) => plan.steps.some((step) => vhostAfter(step)?.id === id));
