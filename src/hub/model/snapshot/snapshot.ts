/** Preamble, vhosts and policies as one document, for export and restore. */
import { type Static, t } from 'elysia';
import { Failure } from '../../../shared/failure.ts';
import { inputOf } from '../applied.ts';
import { type Change, type Step, sequence, vhostStep } from '../changes.ts';
import { NewVhost } from '../operation.ts';
import { preambleChange } from '../preamble-changes.ts';
import { assertSource } from '../source.ts';
import { changedFields, type SiteSet, type Vhost } from '../vhost.ts';
import { createChange, keepChange, newVhost } from '../vhost-changes.ts';
import { policyStepsOf, RestoredPolicies, Source, withPolicies } from './policies.ts';

/** Vhosts in rendering order; without accounts and changelog. */
export const Snapshot = t.Object(
  {
    version: t.Literal(1),
    preamble: t.String(),
    policies: t.Optional(RestoredPolicies),
    vhosts: t.Array(
      t.Object({
        ...NewVhost,
        upstream: t.String(),
        enabled: t.Boolean(),
        source: Source,
      }),
    ),
  },
  { title: 'Snapshot' },
);
export type Snapshot = Static<typeof Snapshot>;
type SnapshotVhost = Snapshot['vhosts'][number];

/** Agents and their own preambles belong to this hub, and stay here; where vhosts are placed does not. */
export const snapshotOf = ({ preamble, vhosts, policies, agents }: SiteSet): Snapshot => ({
  version: 1,
  preamble,
  policies: policies.map(({ name, recipe, values, everywhere, source }) => ({
    name,
    recipe,
    values,
    everywhere,
    ...(source !== null && { source }),
  })),
  vhosts: vhosts.map((vhost) => ({
    domain: vhost.domain,
    ...inputOf(vhost, { policies, agents }),
    ...(vhost.source !== null && { source: vhost.source }),
  })),
});

/**
 * Replaces the whole set by a document; one without `policies` leaves those that are there. The
 * preamble is operation 1, the first vhost 2. A vhost with the domain of a present one keeps its id
 * and history, if it also keeps its place among the others; so does a policy with the same name and
 * recipe.
 * @param replace whether there may be vhosts or policies that are then changed or deleted
 * @throws Failure, when it is applied: NOT_EMPTY, and as the changes it consists of
 */
export const restoreChange =
  ({ preamble, vhosts, policies }: Snapshot, replace: boolean): Change<unknown> =>
  async (set, time) => {
    if (set.vhosts.length + (policies ? set.policies.length : 0) > 0 && !replace) {
      throw new Failure(
        'NOT_EMPTY',
        'The hub already has sites; use ?replace=true to replace them.',
      );
    }
    const present = new Map(set.vhosts.map((vhost) => [vhost.domain, vhost]));
    const emptied = { ...withPolicies(set, policies, time), vhosts: [] };
    const plan = await sequence<unknown>([
      preambleChange(preamble),
      ...vhosts.map((vhost) => restoredChange(vhost, present)),
    ])(emptied, time);
    const next = 'next' in plan ? plan.next : emptied;
    const kept = new Set(next.vhosts.map(({ id }) => id));
    const deletes = set.vhosts
      .filter(({ id }) => !kept.has(id))
      .map((before) => vhostStep(before, null));
    const made = 'next' in plan ? plan.steps.flatMap((step) => asStepOf(present, step)) : [];
    const steps = [...policyStepsOf(set, next), ...deletes, ...made];
    const result = 'next' in plan ? plan.result : plan.done;
    return steps.length === 0 ? { done: result } : { next, steps, result };
  };

/** Adds a vhost of a document, as the present one with its domain if that may come next. */
const restoredChange =
  (input: SnapshotVhost, present: ReadonlyMap<string, Vhost>): Change<unknown> =>
  (set, time) => {
    if (typeof input.source === 'string') assertSource(input.source);
    const wanted = newVhost(input, set, time);
    const before = present.get(wanted.domain);
    if (!before || before.position < wanted.position) return createChange(input)(set, time);
    const { id, position, createdAt } = before;
    const isSame = changedFields(before, wanted).length === 0;
    const asBefore = wanted.policies.every((policy, at) => policy === before.policies[at])
      ? before
      : { ...before, policies: wanted.policies };
    return keepChange(isSame ? asBefore : { ...wanted, id, position, createdAt })(set, time);
  };

/** What adding a vhost to an emptied set is to the present set: nothing if it is there already. */
function asStepOf(present: ReadonlyMap<string, Vhost>, step: Step): Step[] {
  if (step.kind !== 'vhost' || step.before || !step.after) return [step];
  const { after } = step;
  const before = present.get(after.domain);
  if (before?.id !== after.id) return [step];
  return changedFields(before, after).length === 0 ? [] : [vhostStep(before, after)];
}
