/** A change of a policy on the wire: checked, and its passwords hashed, before it is queued. */
import { t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import type { Recipe, Values } from '../recipes/recipe.ts';
import { recipeOf } from '../recipes/registry.ts';
import { hashSecrets, keepSecrets } from '../recipes/secrets.ts';
import { checkValues } from '../recipes/values.ts';
import type { Change } from './changes.ts';
import {
  createPolicyChange,
  findPolicy,
  type PolicyPrecondition,
  updatePolicyChange,
} from './policy-changes.ts';
import type { SiteSet } from './vhost.ts';

export const RecipeValues = t.Record(t.String(), t.Unknown(), {
  description: 'as the `fields` of the recipe say',
});

export const NewPolicy = {
  name: t.String({ description: '1 to 40 lower-case letters, digits and hyphens' }),
  recipe: t.String({ description: 'the id of a recipe of the kind `policy`' }),
  values: RecipeValues,
};

/** The fields of an update; one that is left out stays as it is. */
export const PolicyFields = {
  name: t.Optional(NewPolicy.name),
  values: t.Optional(RecipeValues),
};

type NewPolicyInput = { name: string; recipe: string; values: Values };

/** @throws Failure INVALID_REQUEST, here; and as `createPolicyChange` */
export async function createPolicy(input: NewPolicyInput): Promise<Change<Policy>> {
  const { name, recipe, values } = input;
  return createPolicyChange(name, recipe, await storedValues(recipe, values));
}

/**
 * @param current a set with the policy
 * @throws Failure INVALID_REQUEST or NOT_FOUND, here; and as `updatePolicyChange`
 */
export async function updatePolicy(
  current: SiteSet,
  id: number,
  { name, values }: { name?: string | undefined; values?: Values | undefined },
  expected?: PolicyPrecondition,
): Promise<Change<Policy>> {
  if (!values) return updatePolicyChange(id, { name }, expected);
  const { recipe } = findPolicy(current, id);
  const hashed = await hashSecrets(recipe, checkValues(policyRecipe(recipe), values));
  const merged = (stored: Policy) => keepSecrets(recipe, hashed, stored.values);
  return updatePolicyChange(id, { name, values: merged }, expected);
}

/** Values as they are stored, of a new policy. @throws Failure INVALID_REQUEST */
export async function storedValues(recipe: string, values: Values): Promise<Values> {
  const checked = checkValues(policyRecipe(recipe), values);
  return keepSecrets(recipe, await hashSecrets(recipe, checked), null);
}

/** @throws Failure INVALID_REQUEST unless there is such a recipe for policies */
function policyRecipe(id: string): Recipe {
  const recipe = recipeOf(id);
  if (recipe?.kind === 'policy') return recipe;
  const message = recipe
    ? `The recipe ${id} is for the config of one site, not for a policy.`
    : `There is no recipe ${JSON.stringify(id)}.`;
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'recipe' } });
}
