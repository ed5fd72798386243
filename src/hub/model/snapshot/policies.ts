/** The policies of a snapshot. Pure. */
import { type Static, t } from 'elysia';
import { Failure } from '../../../shared/failure.ts';
import type { Policy } from '../../recipes/policy.ts';
import { assertName } from '../agent.ts';
import { vhostsTouched } from '../applied.ts';
import type { StepOf } from '../changes.ts';
import { NewPolicy, storedValues } from '../operation.ts';
import { byName, isSamePolicy } from '../policy-changes.ts';
import { assertSource, keptBy } from '../source.ts';
import type { SiteSet } from '../vhost.ts';

/** As `GET /vhosts` has it. */
export const Source = t.Optional(t.Union([t.String(), t.Null()]));

export const RestoredPolicies = t.Array(
  t.Object({
    name: t.String(),
    recipe: t.String(),
    values: t.Record(t.String(), t.Unknown(), {
      description: 'with bcrypt hashes in place of passwords',
    }),
    everywhere: NewPolicy.everywhere,
    source: Source,
  }),
);

type Wanted = Static<typeof RestoredPolicies>;

/**
 * Policies with valid values as they are stored: somebody may have written passwords into the document.
 * @throws Failure INVALID_REQUEST with the field, such as `policies.0.networks`
 */
export const checkedPolicies = (wanted: Wanted): Promise<Wanted> =>
  Promise.all(
    wanted.map(async (policy, index) => {
      try {
        return { ...policy, values: { ...(await storedValues(policy.recipe, policy.values)) } };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        throw error.about({ ...error.at, field: `policies.${index}.${error.at.field}` });
      }
    }),
  );

/**
 * The set with these policies instead of its own, which it keeps if there are none to replace them.
 * @throws Failure INVALID_REQUEST
 */
export function withPolicies(set: SiteSet, wanted: Wanted | undefined, time: Date): SiteSet {
  if (!wanted) return set;
  const present = new Map(set.policies.map((policy) => [policy.name, policy]));
  let nextPolicyId = set.nextPolicyId;
  const policies = new Map<string, Policy>();
  for (const { name, recipe, values, everywhere = false, source: said = null } of wanted) {
    if (said !== null) assertSource(said);
    // Containers have no policies: they would delete them.
    const source = said?.startsWith('containers/') ? null : said;
    assertName(name);
    if (policies.has(name)) {
      const message = `The document has the policy ${name} twice.`;
      throw new Failure('INVALID_REQUEST', message, { at: { field: 'policies' } });
    }
    const before = present.get(name);
    if (before?.recipe !== recipe) {
      const id = nextPolicyId++;
      const times = { createdAt: time, updatedAt: time };
      const made = { id, name, recipe, values, everywhere, source, applied: null, ...times };
      policies.set(name, keptBy(made, source));
    } else {
      const after = keptBy({ ...before, values, everywhere, updatedAt: time }, source);
      policies.set(name, isSamePolicy(before, after) ? before : after);
    }
  }
  const sorted = [...policies.values()].toSorted(byName);
  return { ...set, policies: sorted, nextPolicyId };
}

/** The steps that lead from the policies of one set to those of another; deletions come first. */
export function policyStepsOf(set: SiteSet, next: SiteSet): StepOf<'policy'>[] {
  const before = new Map(set.policies.map((policy) => [policy.id, policy]));
  const after = new Set(next.policies.map(({ id }) => id));
  const deleted = set.policies.filter(({ id }) => !after.has(id));
  const changed = next.policies.filter((policy) => before.get(policy.id) !== policy);
  return [
    ...deleted.map((policy) => ({ before: policy, after: null })),
    ...changed.map((policy) => ({ before: before.get(policy.id) ?? null, after: policy })),
  ].map((step) => ({
    kind: 'policy',
    ...step,
    vhosts: vhostsTouched(set, next, (step.after ?? step.before).id),
  }));
}
