/** What a change is: planned on top of a set, as steps that lead to the next one. Pure. */

import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { Db } from '../db/open.ts';
import type { Policy } from '../recipes/policy.ts';
import type { StoredAgent } from './agent.ts';
import type { Certificate } from './certificate.ts';
import { follows, type KnownProblem, type SiteSet, type Vhost } from './vhost.ts';

/** Who makes a change; `via` is the name of the API token they used, null for a session. */
export type Author = {
  userId: string;
  userName: string;
  via: string | null;
  /** Asked before the change is planned and as it is stored. @throws Failure UNAUTHENTICATED, FORBIDDEN_ROLE */
  assertAllowed?: () => void;
  /** Whether the change takes an earlier one back. */
  isUndo?: true;
  /** What the request did, in words; else they follow from its steps. */
  summary?: string;
  /** Stores more in the transaction of the change, such as an entry of the security log. */
  also?: (tx: Pick<Db, 'select' | 'selectDistinct' | 'insert' | 'delete'>, time: Date) => void;
};

/** How the changelog names the hub itself; there is no such account. */
export const ITSELF: Author = { userId: 'signalbox', userName: 'signalbox', via: null };

/** What can be stored and changed, by its kind: each has an entry in `ENTITIES`. */
export type Stored = {
  vhost: Vhost;
  preamble: Preamble;
  policy: Policy;
  agent: StoredAgent;
  known: KnownProblem;
  certificate: Certificate;
};
export type Kind = keyof Stored;

/** The common one, or that of an agent, which has none of its own where `config` is null. */
export type Preamble = Readonly<{
  agent: Pick<StoredAgent, 'id' | 'name'> | null;
  config: string | null;
}>;

/** One thing before and after: what is stored and recorded. */
export type StepOf<K extends Kind> = Readonly<{
  kind: K;
  /** Null if it is created. */
  before: Stored[K] | null;
  /** Null if it is deleted. */
  after: Stored[K] | null;
  /** The vhosts that are created or changed, afterwards: of a policy, those that have it. */
  vhosts: readonly Vhost[];
  /** Whether it was only switched on or off. */
  isToggle?: true;
}>;
export type Step = { [K in Kind]: StepOf<K> }[Kind];

export const vhostStep = (before: Vhost | null, after: Vhost | null): StepOf<'vhost'> => ({
  kind: 'vhost',
  before,
  after,
  vhosts: after ? [after] : [],
});

/** The ids of the vhosts that steps create or change. */
export const idsAfter = (steps: readonly Step[]): Set<number> =>
  new Set(steps.flatMap(({ vhosts }) => vhosts.map(({ id }) => id)));

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
      const plan = await inOperation(index + 1, () => change(next, time));
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

/** As `sequence`, without the number of an operation: the caller sent none that could be counted. */
export const together =
  (changes: readonly Change<unknown>[]): Change<unknown> =>
  async (set, time) => {
    try {
      return await sequence(changes)(set, time);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw error.about({ ...error.at, operation: undefined });
    }
  };

/** Adds its number, counted from 1, to the failure of an operation. */
export async function inOperation<T>(operation: number, plan: () => T): Promise<Awaited<T>> {
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
