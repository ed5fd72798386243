/** The changes that people make to policies. A policy takes the vhosts that have it along. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import type { Values } from '../recipes/recipe.ts';
import { assertName } from './agent.ts';
import { vhostsTouched, vhostsWith } from './applied.ts';
import type { Change, Plan, StepOf } from './changes.ts';
import type { Kept, SiteSet, Vhost } from './vhost.ts';

/** Passes if a policy is still as the client last saw it. @throws Failure PRECONDITION_FAILED */
export type PolicyPrecondition = (policy: Policy, vhosts: readonly Vhost[]) => void;

/** @throws Failure NOT_FOUND, and as `expected` */
export function findPolicy(set: SiteSet, id: number, expected?: PolicyPrecondition): Policy {
  const policy = set.policies.find((one) => one.id === id);
  if (!policy) throw new Failure('NOT_FOUND', 'There is no such policy.');
  expected?.(policy, vhostsWith(set, id));
  return policy;
}

/** The order of the policies of a set. */
export const byName = (a: Policy, b: Policy): number => (a.name < b.name ? -1 : 1);

/** Adds a policy, which no vhost names yet. @throws Failure INVALID_REQUEST, POLICY_TAKEN */
export const createPolicyChange =
  (
    policy: Pick<Policy, 'name' | 'recipe' | 'values' | 'everywhere'> & Partial<Kept>,
  ): Change<Policy> =>
  (set, time) =>
    policyStored(set, null, {
      source: null,
      applied: null,
      ...policy,
      id: set.nextPolicyId,
      createdAt: time,
      updatedAt: time,
    });

/** Restores a deleted policy, with its id. @throws Failure POLICY_TAKEN */
export const recreatePolicyChange =
  (policy: Policy): Change<Policy> =>
  (set, time) =>
    policyStored(set, null, { ...policy, updatedAt: time });

/** What a person changes of a policy; `values` makes the new ones of those that are stored. */
type PolicyInput = {
  name?: string | undefined;
  /** Then `values` are for this one. */
  recipe?: string | undefined;
  values?: ((stored: Policy) => Values) | undefined;
  everywhere?: boolean | undefined;
  kept?: Kept | undefined;
};

/**
 * Changes a policy, and with it every vhost that has it.
 * @throws Failure NOT_FOUND, PRECONDITION_FAILED, INVALID_REQUEST, POLICY_TAKEN, and as `values`
 */
export const updatePolicyChange =
  (
    id: number,
    { name, recipe, values, everywhere, kept }: PolicyInput,
    expected?: PolicyPrecondition,
  ): Change<Policy> =>
  (set, time) => {
    const before = findPolicy(set, id, expected);
    const after = {
      ...before,
      name: name ?? before.name,
      recipe: recipe ?? before.recipe,
      values: values?.(before) ?? before.values,
      everywhere: everywhere ?? before.everywhere,
      ...kept,
      updatedAt: time,
    };
    return isSamePolicy(before, after) ? { done: before } : policyStored(set, before, after);
  };

/** @throws Failure NOT_FOUND, PRECONDITION_FAILED, POLICY_IN_USE with the vhosts to which it applies */
export const deletePolicyChange =
  (id: number, expected?: PolicyPrecondition): Change<{ success: true }> =>
  (set) => {
    const before = findPolicy(set, id, expected);
    const users = vhostsWith(set, id);
    if (users.length > 0) throw policyInUse(before, users, before.everywhere);
    return removed(set, before);
  };

/**
 * Takes back that a policy was created: one that applies everywhere is taken off all vhosts.
 * @throws Failure NOT_FOUND, POLICY_IN_USE with the vhosts that name it
 */
export const uncreatePolicyChange =
  (id: number): Change<{ success: true }> =>
  (set) => {
    const before = findPolicy(set, id);
    const users = set.vhosts.filter(({ policies }) => policies.some((one) => one.id === id));
    if (users.length > 0) throw policyInUse(before, users);
    return removed(set, before);
  };

function removed(set: SiteSet, before: Policy): Plan<{ success: true }> {
  const next = { ...set, policies: set.policies.filter((policy) => policy !== before) };
  const vhosts = vhostsTouched(set, next, before.id);
  return {
    next,
    steps: [{ kind: 'policy', before, after: null, vhosts }],
    result: { success: true },
  };
}

export const policyInUse = (
  { name }: Pick<Policy, 'name'>,
  users: readonly Vhost[],
  isEverywhere = false,
) =>
  new Failure('POLICY_IN_USE', `The policy "${name}" is in use.`, {
    detail: `Used by ${users.map(({ domain }) => domain).join(', ')}.`,
    hint: isEverywhere
      ? 'It applies to every site: turn `everywhere` off first, and remove it from the sites that name it.'
      : 'Remove it from these sites first.',
  });

/** Whether two versions of a policy do the same on the same vhosts, under the same name. */
export const isSamePolicy = (one: Policy, other: Policy): boolean =>
  one.name === other.name &&
  one.recipe === other.recipe &&
  (one.source ?? null) === (other.source ?? null) &&
  (one.applied ?? null) === (other.applied ?? null) &&
  one.everywhere === other.everywhere &&
  Bun.deepEquals(one.values, other.values);

/** @throws Failure POLICY_TAKEN if one of the others has the name of a policy */
export function assertNameFree({ id, name }: Policy, others: readonly Policy[]): void {
  if (!others.some((one) => one.name === name && one.id !== id)) return;
  throw new Failure('POLICY_TAKEN', `There is already a policy "${name}".`, {
    at: { field: 'name' },
  });
}

/** The set with one version of a policy in place of the other. @throws Failure POLICY_TAKEN */
function policyStored(set: SiteSet, before: Policy | null, after: Policy): Plan<Policy> {
  assertName(after.name);
  const others = set.policies.filter((policy) => policy !== before);
  if (!set.isUnsettled) assertNameFree(after, others);
  const vhosts = set.vhosts.map((vhost) => withPolicy(vhost, after));
  const isNamed = vhosts.some((vhost, at) => vhost !== set.vhosts[at]);
  const next = {
    ...set,
    vhosts: isNamed ? vhosts : set.vhosts,
    policies: [...others, after].toSorted(byName),
    nextPolicyId: Math.max(set.nextPolicyId, after.id + 1),
  };
  const step: StepOf<'policy'> = {
    kind: 'policy',
    before,
    after,
    vhosts: vhostsTouched(set, next, after.id),
  };
  return { next, steps: [step], result: after };
}

/** A vhost with the new version of a policy that it names; itself if it does not. */
const withPolicy = (vhost: Vhost, policy: Policy): Vhost =>
  vhost.policies.some(({ id }) => id === policy.id)
    ? { ...vhost, policies: vhost.policies.map((one) => (one.id === policy.id ? policy : one)) }
    : vhost;
