/** What a change is: planned on top of a set, as steps that lead to the next one. Pure. */
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import type { StoredAgent } from './agent.ts';
import { changedFields, follows, type SiteSet, type Vhost } from './vhost.ts';

/** Who makes a change; `via` is the name of the API token they used, null for a session. */
export type Author = { userId: string; userName: string; via: string | null };

/**
 * One vhost, a preamble, a policy or an agent, before and after: what is stored and recorded. With a
 * policy come the vhosts that have it, as they are afterwards.
 */
export type Step =
  | { kind: 'create'; after: Vhost }
  | { kind: 'update' | 'toggle'; before: Vhost; after: Vhost }
  | { kind: 'delete'; before: Vhost }
  | PreambleStep
  | AgentStep
  | PolicyStep;

/** `agent`: whose own it is, null for the common one. An agent has none of its own where it is null. */
export type PreambleStep = { kind: 'preamble' } & (
  | { agent: null; before: string; after: string }
  | { agent: Pick<StoredAgent, 'id' | 'name'>; before: string | null; after: string | null }
);

/** Created if there is nothing before, removed if there is nothing after. */
export type AgentStep = { kind: 'agent'; before: StoredAgent | null; after: StoredAgent | null };

/** Created if there is nothing before, deleted if there is nothing after. */
export type PolicyStep = {
  kind: 'policy';
  before: Policy | null;
  after: Policy | null;
  vhosts: readonly Vhost[];
};

/** The vhosts that a step creates or changes, afterwards. */
export function vhostsAfter(step: Step): readonly Vhost[] {
  switch (step.kind) {
    case 'delete':
    case 'preamble':
    case 'agent':
      return [];
    case 'policy':
      return step.vhosts;
    default:
      return [step.after];
  }
}

/** The ids of those vhosts. */
export const idsAfter = (steps: readonly Step[]): Set<number> =>
  new Set(steps.flatMap((step) => vhostsAfter(step).map(({ id }) => id)));

/** Whether a step changes what the proxy gets. */
export function isPublished(step: Step): boolean {
  if (step.kind === 'policy') return step.vhosts.length > 0;
  if (step.kind === 'agent') return false;
  if (step.kind !== 'update') return true;
  const { before, after } = step;
  // A site that is served is asked as soon as it has a check.
  const isAsked = after.enabled && after.check !== null;
  return changedFields(before, after).some(
    (field) => field !== 'tags' && (field !== 'check' || isAsked),
  );
}

/** A planned change: the candidate set, the steps that lead to it, and what the caller gets. */
export type Plan<T> = { next: SiteSet; steps: readonly Step[]; result: T };

/** What planning brings; `done` if there is nothing to publish. */
export type Outcome<T> = Plan<T> | { done: T };

/** Plans a change on top of a set, at once or in several turns. @throws Failure */
export type Change<T> = (set: SiteSet, time: Date) => Outcome<T> | Promise<Outcome<T>>;

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

/**
 * Lists of vhosts that only one sequence of changes knows, and changes in place: copying one for each of n
 * changes takes n² time.
 */
const drafts = new WeakSet<readonly Vhost[]>();

/** A copy that `spliced` changes in place. */
function draftOf(vhosts: readonly Vhost[]): readonly Vhost[] {
  const draft = [...vhosts];
  drafts.add(draft);
  return draft;
}

/** From now on the list is as immutable as any other. */
const finish = (draft: readonly Vhost[]): void => void drafts.delete(draft);

/** As `toSpliced`; a draft itself if it is one. */
export function spliced(
  vhosts: readonly Vhost[],
  at: number,
  removed: number,
  ...added: Vhost[]
): readonly Vhost[] {
  if (!isDraft(vhosts)) return vhosts.toSpliced(at, removed, ...added);
  vhosts.splice(at, removed, ...added);
  return vhosts;
}

const isDraft = (vhosts: readonly Vhost[]): vhosts is Vhost[] => drafts.has(vhosts);
