/** The changes that people make to policies. A policy takes the vhosts that have it along. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import type { Values } from '../recipes/recipe.ts';
import { assertName } from './agent.ts';
import type { Change, Plan, StepOf } from './changes.ts';
import type { SiteSet, Vhost } from './vhost.ts';

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

/** The vhosts of a set that have a policy. */
export const vhostsWith = ({ vhosts }: SiteSet, id: number): Vhost[] =>
  vhosts.filter(({ policies }) => policies.some((policy) => policy.id === id));

/** Adds a policy, on no vhost yet. @throws Failure INVALID_REQUEST, POLICY_TAKEN */
export const createPolicyChange =
  (name: string, recipe: string, values: Values): Change<Policy> =>
  (set, time) =>
    policyStored(set, null, {
      id: set.nextPolicyId,
      name,
      recipe,
      values,
      createdAt: time,
      updatedAt: time,
    });

/** Restores a deleted policy, with its id. @throws Failure POLICY_TAKEN */
export const recreatePolicyChange =
  (policy: Policy): Change<Policy> =>
  (set, time) =>
    policyStored(set, null, { ...policy, updatedAt: time });

/** What a person changes of a policy; `values` makes the new ones of those that are stored. */
export type PolicyInput = {
  name?: string | undefined;
  values?: ((stored: Policy) => Values) | undefined;
};

/**
 * Changes a policy, and with it every vhost that has it.
 * @throws Failure NOT_FOUND, PRECONDITION_FAILED, INVALID_REQUEST, POLICY_TAKEN, and as `values`
 */
export const updatePolicyChange =
  (id: number, { name, values }: PolicyInput, expected?: PolicyPrecondition): Change<Policy> =>
  (set, time) => {
    const before = findPolicy(set, id, expected);
    const after = {
      ...before,
      name: name ?? before.name,
      values: values?.(before) ?? before.values,
      updatedAt: time,
    };
    return isSamePolicy(before, after) ? { done: before } : policyStored(set, before, after);
  };

/** @throws Failure NOT_FOUND, PRECONDITION_FAILED, POLICY_IN_USE with the vhosts that have it */
export const deletePolicyChange =
  (id: number, expected?: PolicyPrecondition): Change<{ success: true }> =>
  (set) => {
    const before = findPolicy(set, id, expected);
    const users = vhostsWith(set, id);
    if (users.length > 0) throw policyInUse(users);
    return {
      next: { ...set, policies: set.policies.filter((policy) => policy !== before) },
      steps: [{ kind: 'policy', before, after: null, vhosts: [] }],
      result: { success: true },
    };
  };

export const policyInUse = (users: readonly Vhost[]) =>
  new Failure('POLICY_IN_USE', 'The policy is in use.', {
    detail: `Used by ${users.map(({ domain }) => domain).join(', ')}.`,
    hint: 'Remove it from these sites first.',
  });

/** Whether two versions of a policy have the same name and values. */
export const isSamePolicy = (one: Policy, other: Policy): boolean =>
  one.name === other.name && Bun.deepEquals(one.values, other.values);

/** The set with one version of a policy in place of the other. @throws Failure POLICY_TAKEN */
function policyStored(set: SiteSet, before: Policy | null, after: Policy): Plan<Policy> {
  assertName(after.name);
  const others = set.policies.filter((policy) => policy !== before);
  if (others.some(({ name }) => name === after.name)) {
    throw new Failure('POLICY_TAKEN', `There is already a policy ${after.name}.`, {
      at: { field: 'name' },
    });
  }
  const vhosts = set.vhosts.map((vhost) => withPolicy(vhost, after));
  const step: StepOf<'policy'> = {
    kind: 'policy',
    before,
    after,
    vhosts: vhosts.filter((vhost, at) => vhost !== set.vhosts[at]),
  };
  const next = {
    ...set,
    vhosts: step.vhosts.length === 0 ? set.vhosts : vhosts,
    policies: [...others, after].toSorted(byName),
    nextPolicyId: Math.max(set.nextPolicyId, after.id + 1),
  };
  return { next, steps: [step], result: after };
}

/** A vhost with the new version of a policy that it has; itself if it has not. */
const withPolicy = (vhost: Vhost, policy: Policy): Vhost =>
  vhost.policies.some(({ id }) => id === policy.id)
    ? { ...vhost, policies: vhost.policies.map((one) => (one.id === policy.id ? policy : one)) }
    : vhost;
