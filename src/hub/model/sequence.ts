/** Several changes as one. */
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { Change, Step } from './changes.ts';
import { draftOf, finish } from './draft.ts';
import { follows, type SiteSet } from './vhost.ts';

/**
 * Several changes as one, all or nothing, each planned on top of those before it.
 * @throws Failure as the changes, with the number of the operation
 */
export const sequence =
  <T>(changes: readonly Change<T>[]): Change<T[]> =>
  async (set, time) => {
    const pause = createPauses();
    let next: SiteSet = { ...set, vhosts: draftOf(set.vhosts) };
    follows(set, next);
    const steps: Step[] = [];
    const results: T[] = [];
    for (const [index, change] of changes.entries()) {
      const plan = await asOperation(index + 1, () => change(next, time));
      await pause();
      if ('done' in plan) {
        results.push(plan.done);
        continue;
      }
      next = plan.next;
      steps.push(...plan.steps);
      results.push(plan.result);
    }
    finish(next.vhosts);
    return steps.length === 0 ? { done: results } : { next, steps, result: results };
  };

/** Adds its number, counted from 1, to the failure of an operation. */
async function asOperation<T>(operation: number, plan: () => T): Promise<Awaited<T>> {
  try {
    return await plan();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.about({ ...error.at, operation });
  }
}
