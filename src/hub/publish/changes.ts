/** The changes that people make to the published set. Pure. */
import { Failure } from '../../shared/failure.ts';
import {
  assertFree,
  changedFields,
  follows,
  normalize,
  type SiteSet,
  type Vhost,
  type VhostInput,
} from './vhost.ts';

/** Who makes a change; `via` is the name of the API token they used, null for a session. */
export type Author = { userId: string; userName: string; via: string | null };

/** One vhost, or the preamble, before and after: what is stored and recorded. */
export type Step =
  | { kind: 'create'; after: Vhost }
  | { kind: 'update' | 'toggle'; before: Vhost; after: Vhost }
  | { kind: 'delete'; before: Vhost }
  | { kind: 'preamble'; before: string; after: string };

/** The vhost after a step; undefined if the step deletes it or changes the preamble. */
export const vhostAfter = (step: Step): Vhost | undefined =>
  step.kind === 'delete' || step.kind === 'preamble' ? undefined : step.after;

/** A planned change: the candidate set, the steps that lead to it, and what the caller gets. */
export type Plan<T> = { next: SiteSet; steps: readonly Step[]; result: T };

/** Plans a change on top of a set; `done` if there is nothing to publish. @throws Failure */
export type Change<T> = (set: SiteSet, time: Date) => Plan<T> | { done: T };

/** Passes if a vhost is still as the client last saw it. @throws Failure PRECONDITION_FAILED */
export type Precondition = (vhost: Vhost) => void;

/** @throws Failure NOT_FOUND, and as `expected` */
export function findVhost(set: SiteSet, id: number, expected?: Precondition): Vhost {
  const found = set.vhosts.find((vhost) => vhost.id === id);
  if (!found) throw new Failure('NOT_FOUND', 'There is no such vhost.');
  expected?.(found);
  return found;
}

/** Adds a vhost at the end. @throws Failure INVALID_REQUEST, DOMAIN_TAKEN */
export const createChange =
  (input: VhostInput): Change<Vhost> =>
  (set, time) => {
    const vhost: Vhost = {
      id: set.nextId,
      position: (set.vhosts.at(-1)?.position ?? 0) + 1,
      ...normalize(input.domain ?? '', input.config ?? '', input.upstream ?? ''),
      enabled: input.enabled ?? true,
      createdAt: time,
      updatedAt: time,
    };
    return added(set, vhost, { ...set, nextId: set.nextId + 1 });
  };

/** Restores a deleted vhost, with its id and position. @throws Failure DOMAIN_TAKEN */
export const recreateChange =
  (vhost: Vhost): Change<Vhost> =>
  (set, time) =>
    added(set, { ...vhost, updatedAt: time }, set);

function added(set: SiteSet, vhost: Vhost, rest: SiteSet): Plan<Vhost> {
  assertFree(vhost, set);
  const isLast = (set.vhosts.at(-1)?.position ?? 0) <= vhost.position;
  const at = isLast
    ? set.vhosts.length
    : set.vhosts.findIndex(({ position }) => position > vhost.position);
  const next = { ...rest, vhosts: set.vhosts.toSpliced(at, 0, vhost) };
  follows(set, next, undefined, vhost);
  return {
    next,
    steps: [{ kind: 'create', after: vhost }],
    result: vhost,
  };
}

/**
 * Changes the given fields of a vhost.
 * @throws Failure NOT_FOUND, PRECONDITION_FAILED, INVALID_REQUEST, DOMAIN_TAKEN
 */
export const updateChange =
  (id: number, input: VhostInput, expected?: Precondition): Change<Vhost> =>
  (set, time) => {
    const before = findVhost(set, id, expected);
    const vhost: Vhost = {
      ...before,
      ...normalize(
        input.domain ?? before.domain,
        input.config ?? before.config,
        input.upstream ?? before.upstream,
      ),
      enabled: input.enabled ?? before.enabled,
      updatedAt: time,
    };
    if (changedFields(before, vhost).length === 0) return { done: before };
    assertFree(vhost, set);
    return changed(set, 'update', before, vhost);
  };

/** Enables a disabled vhost, and disables an enabled one. @throws as `findVhost` */
export const toggleChange =
  (id: number, expected?: Precondition): Change<Vhost> =>
  (set, time) => {
    const before = findVhost(set, id, expected);
    return changed(set, 'toggle', before, { ...before, enabled: !before.enabled, updatedAt: time });
  };

function changed(
  set: SiteSet,
  kind: 'update' | 'toggle',
  before: Vhost,
  after: Vhost,
): Plan<Vhost> {
  const next = { ...set, vhosts: set.vhosts.map((one) => (one.id === after.id ? after : one)) };
  follows(set, next, before, after);
  return { next, steps: [{ kind, before, after }], result: after };
}

/** @throws as `findVhost` */
export const deleteChange =
  (id: number, expected?: Precondition): Change<{ success: true }> =>
  (set) => {
    const before = findVhost(set, id, expected);
    const next = { ...set, vhosts: set.vhosts.filter((vhost) => vhost.id !== id) };
    follows(set, next, before);
    return {
      next,
      steps: [{ kind: 'delete', before }],
      result: { success: true },
    };
  };

/** @throws Failure INVALID_REQUEST */
export const preambleChange =
  (config: string): Change<{ success: true }> =>
  (set) => {
    if (!config.isWellFormed()) {
      const at = { field: 'config' };
      throw new Failure('INVALID_REQUEST', 'The preamble is not valid Unicode.', { at });
    }
    if (config === set.preamble) return { done: { success: true } };
    return {
      next: { ...set, preamble: config },
      steps: [{ kind: 'preamble', before: set.preamble, after: config }],
      result: { success: true },
    };
  };

/**
 * Several changes as one, all or nothing, each planned on top of those before it.
 * @throws Failure as the changes, with the number of the operation
 */
export const sequence =
  <T>(changes: readonly Change<T>[]): Change<T[]> =>
  (set, time) => {
    let next = set;
    const steps: Step[] = [];
    const results: T[] = [];
    for (const [index, change] of changes.entries()) {
      const plan = asOperation(index + 1, () => change(next, time));
      if ('done' in plan) {
        results.push(plan.done);
        continue;
      }
      next = plan.next;
      steps.push(...plan.steps);
      results.push(plan.result);
    }
    return steps.length === 0 ? { done: results } : { next, steps, result: results };
  };

/** Adds its number, counted from 1, to the failure of an operation. */
function asOperation<T>(operation: number, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.about({ ...error.at, operation });
  }
}
