/** The policies of a document: checked and hashed before a plan, created, changed and deleted in it. */

import { type Change, together } from '../../hub/model/changes.ts';
import { policyRecipe } from '../../hub/model/operation.ts';
import {
  createPolicyChange,
  uncreatePolicyChange,
  updatePolicyChange,
} from '../../hub/model/policy-changes.ts';
import { keptBy } from '../../hub/model/source.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import type { Values } from '../../hub/recipes/recipe.ts';
import { hashSecrets, keepSecrets, passwordsIn } from '../../hub/recipes/secrets.ts';
import { checkValues } from '../../hub/recipes/values.ts';
import { Failure } from '../../shared/failure.ts';
import { type Document, locating, type Note, opOf } from './document.ts';
import { fieldOf } from './schemas.ts';

type Prepared = { name: string; recipe: string; values: Values; everywhere: boolean };

/** As many as a single policy may have: each takes a second, in which other passwords wait. */
const MAX_PASSWORDS = 50;
/** More would take minutes to plan, as each is compared with all others. */
const MAX_POLICIES = 1_000;

/** Checks all of them, and then hashes their passwords, unless they are the stored ones. */
export async function prepare(
  given: Document['policies'],
  { policies }: SiteSet,
): Promise<readonly Prepared[]> {
  if (given.length > MAX_POLICIES) throw tooMany(`${MAX_POLICIES} policies`);
  const checked: Prepared[] = [];
  for (const [name, { recipe, values = {}, everywhere = false }] of given) {
    await locating(fieldOf('policies', name), async () => {
      const known = policyRecipe(recipe);
      const valid = await locating('values', () => checkValues(known, values));
      checked.push({ name, recipe, values: valid, everywhere });
    });
  }
  const passwords = checked.map(({ recipe, values }) => passwordsIn(recipe, values));
  if (passwords.reduce((sum, count) => sum + count, 0) > MAX_PASSWORDS) {
    throw tooMany(
      `${MAX_PASSWORDS} passwords in clear`,
      'Give the `hash` of the others, as `caddy hash-password` prints it.',
    );
  }
  return Promise.all(
    checked.map(async ({ name, recipe, values, everywhere }) => {
      const stored = policies.find((one) => one.name === name && one.recipe === recipe);
      return {
        name,
        recipe,
        everywhere,
        values: await hashSecrets(recipe, values, stored?.values),
      };
    }),
  );
}

const tooMany = (most: string, hint?: string) =>
  new Failure('INVALID_REQUEST', `A document has at most ${most}.`, {
    hint,
    at: { field: 'policies' },
  });

/** Creates or changes a policy, or takes it over. */
export const policyChange =
  ({ values: given, ...prepared }: Prepared, document: Document, note: Note): Change<unknown> =>
  (set, time) =>
    locating(fieldOf('policies', prepared.name), async () => {
      const { name, recipe } = prepared;
      const before = set.policies.find((one) => one.name === name);
      const stored = before?.recipe === recipe ? before.values : null;
      const values = await locating('values', () => keepSecrets(recipe, given, stored));
      const said = { ...prepared, values };
      const keptAs = (policy: Policy) => {
        const { source, applied } = keptBy(policy, document.source);
        return { source, applied };
      };
      if (!before) {
        note({ op: 'create', kind: 'policy', name, fields: [] });
        return createPolicyChange({ ...said, ...keptAs({ ...UNSTORED, ...said }) })(set, time);
      }
      const fields = POLICY_FIELDS.filter((field) => !Bun.deepEquals(before[field], said[field]));
      const op = opOf(before, fields, document);
      if (op === null) return { done: before };
      note({ op, kind: 'policy', name, fields });
      const input =
        fields.length > 0
          ? { ...said, values: () => values, kept: keptAs({ ...before, ...said }) }
          : { kept: keptAs(before) };
      return updatePolicyChange(before.id, input)(set, time);
    });

const POLICY_FIELDS = ['recipe', 'values', 'everywhere'] as const;
const UNSTORED = {
  id: 0,
  source: null,
  applied: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

/** Deletes the policies that the document no longer names. @throws Failure POLICY_IN_USE */
export const prunedPolicies =
  ({ source, policies }: Document, note: Note): Change<unknown> =>
  (set, time) => {
    const named = new Set(policies.map(([name]) => name));
    const gone = set.policies.filter((one) => one.source === source && !named.has(one.name));
    for (const { name } of gone) note({ op: 'delete', kind: 'policy', name, fields: [] });
    return together(gone.map(({ id }) => uncreatePolicyChange(id)))(set, time);
  };
