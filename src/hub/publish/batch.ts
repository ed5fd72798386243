/** Changes that wait together, judged in order of arrival against what is accepted. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Author, Change, Plan } from './changes.ts';
import type { SiteSet, Vhost } from './vhost.ts';

/** A change somebody waits for. */
export type Waiting = {
  change: Change<unknown>;
  author: Author;
  /** Take over from sites that somebody else wrote. */
  replace: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  /** The requests that wait with it, for the log. */
  requestIds: readonly string[];
};

export type Planned = { item: Waiting; plan: Plan<unknown> };

/** `refused` and `done` hold only if all of `plans` become accepted: they were judged after those. */
export type Judged = {
  plans: Planned[];
  refused: { item: Waiting; error: unknown }[];
  done: { item: Waiting; result: unknown }[];
  /** Those that have to wait for the next group. */
  later: Waiting[];
};

/** The preamble touches every vhost. */
const EVERYTHING = 'everything';

/**
 * Each change is worked out against the set that the ones before it leave. A group ends before a
 * vhost would be changed a second time: each change has to be fit to be served by itself.
 */
export function judge(accepted: SiteSet, items: readonly Waiting[], at: Date): Judged {
  const judged: Judged = { plans: [], refused: [], done: [], later: [] };
  const touched = new Set<number | typeof EVERYTHING>();
  let set = accepted;
  for (const [index, item] of items.entries()) {
    try {
      const plan = item.change(set, at);
      if ('done' in plan) {
        judged.done.push({ item, result: plan.done });
        continue;
      }
      const marks = touchedBy(plan);
      const apart = marks.has(EVERYTHING) ? touched.size > 0 : touched.has(EVERYTHING);
      if (apart || [...marks].some((mark) => touched.has(mark))) {
        judged.later = items.slice(index);
        return judged;
      }
      for (const mark of marks) touched.add(mark);
      judged.plans.push({ item, plan });
      set = plan.next;
    } catch (error) {
      judged.refused.push({ item, error });
    }
  }
  return judged;
}

function touchedBy(plan: Plan<unknown>): Set<number | typeof EVERYTHING> {
  return new Set(
    plan.steps.map((step) =>
      step.kind === 'preamble' ? EVERYTHING : ((step.after ?? step.before)?.id ?? 0),
    ),
  );
}

/** Tells everybody who waits what became of it. */
export function settle({ plans, refused, done }: Judged): void {
  for (const { item, plan } of plans) item.resolve(plan.result);
  for (const { item, result } of done) item.resolve(result);
  for (const { item, error } of refused) item.reject(error);
}

/**
 * The vhosts that a group of plans changes, as they are to be validated: enabled, because a
 * disabled vhost's config is judged as if it were. One that is only switched off needs no look.
 * Undefined where everything does, because the preamble changes.
 */
export function changedVhosts(plans: readonly Planned[]): Vhost[] | undefined {
  const steps = plans.flatMap(({ plan }) => plan.steps);
  if (steps.some(({ kind }) => kind === 'preamble')) return undefined;
  const changed = new Map<number, Vhost>();
  for (const step of steps) {
    if (step.kind === 'preamble') continue;
    const { before, after } = step;
    if (after === null) {
      if (before) changed.delete(before.id);
    } else if (after.enabled) {
      changed.set(after.id, after);
    } else if (before === null || SHAPE.some((field) => after[field] !== before[field])) {
      changed.set(after.id, { ...after, enabled: true });
    }
  }
  return [...changed.values()];
}

const SHAPE = ['domain', 'config', 'upstream'] as const;

/** The plan that has a vhost in it. */
export const planOf = (plans: readonly Planned[], id: number): Planned | undefined =>
  plans.findLast(({ plan }) =>
    plan.steps.some((step) => step.kind === 'vhost' && step.after?.id === id),
  );

export const isRejection = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'PROXY_REJECTED';
