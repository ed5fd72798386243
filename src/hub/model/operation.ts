/** Changes on the wire: of a vhost, and of a policy, whose passwords are hashed before it is queued. */
import { type Static, t } from 'elysia';
import { UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { Failure } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import { Check } from '../../shared/wire/checks.ts';
import { misspelledUpstream } from '../caddyfile/not-replaced.ts';
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
import { MAX_TAG_LENGTH, MAX_TAGS, type SiteSet, type Vhost, type VhostInput } from './vhost.ts';
import { createChange, deleteChange, toggleChange, updateChange } from './vhost-changes.ts';

export const NewVhost = {
  domain: t.String(),
  config: t.String(),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
  policies: t.Optional(
    t.Array(t.String(), {
      description: 'the names of policies, in the order in which they come before the config',
    }),
  ),
  except: t.Optional(
    t.Array(t.String(), {
      description:
        'the names of policies that apply to every site (`everywhere`), but not to this one; what `policies` names applies all the same',
    }),
  ),
  tags: t.Optional(
    t.Array(t.String(), {
      description: `any words to find the vhost by; the proxy does not see them: at most ${MAX_TAGS} of ${MAX_TAG_LENGTH} characters`,
    }),
  ),
  agents: t.Optional(
    t.Array(t.String(), {
      description: 'the names of the agents whose proxies serve it; if empty: all',
    }),
  ),
  check: t.Optional(t.Union([Check, t.Null()])),
};

/** The fields of an update; one that is left out stays as it is. */
export const VhostFields = {
  ...NewVhost,
  domain: t.Optional(NewVhost.domain),
  config: t.Optional(NewVhost.config),
};

export const Operation = t.Union(
  [
    t.Object({ op: t.Literal('create'), ...NewVhost }, { title: 'CreateVhost' }),
    t.Object({ op: t.Literal('update'), id: integer(), ...VhostFields }, { title: 'UpdateVhost' }),
    t.Object({ op: t.Literal('delete'), id: integer() }, { title: 'DeleteVhost' }),
    t.Object({ op: t.Literal('toggle'), id: integer() }, { title: 'ToggleVhost' }),
  ],
  { title: 'Operation' },
);

/**
 * A change of a vhost that someone wrote just now. What is stored, or was exported, may misspell
 * `{upstream}`: it is accepted as before.
 * @throws Failure, when it is applied: INVALID_REQUEST, and as `change`
 */
export const written =
  <T>({ config = '' }: VhostInput, change: Change<T>): Change<T> =>
  (set, time) => {
    assertSpelled(config);
    return change(set, time);
  };

/** @throws Failure INVALID_REQUEST if a config misspells `{upstream}` */
export function assertSpelled(config: string): void {
  const mistake = config.includes('{') ? misspelledUpstream(config) : null;
  if (mistake === null) return;
  throw new Failure('INVALID_REQUEST', `There is no placeholder ${mistake.word}.`, {
    hint: `Did you mean ${UPSTREAM}, which stands for the upstream of the site?`,
    at: { field: 'config', line: mistake.line },
  });
}

export function changeOf(operation: Static<typeof Operation>): Change<Vhost | { success: true }> {
  switch (operation.op) {
    case 'create':
      return written(operation, createChange(operation));
    case 'update':
      return written(operation, updateChange(operation.id, operation));
    case 'delete':
      return deleteChange(operation.id);
    case 'toggle':
      return toggleChange(operation.id);
  }
}

const RecipeValues = t.Record(t.String(), t.Unknown(), {
  description: 'as the `fields` of the recipe say',
});

export const NewPolicy = {
  name: t.String({ description: '1 to 40 lower-case letters, digits and hyphens' }),
  recipe: t.String({ description: 'the id of a recipe of the kind `policy`' }),
  values: RecipeValues,
  everywhere: t.Optional(
    t.Boolean({
      description:
        'whether it applies to every vhost, also to new ones, unless a vhost names it in `except`; it comes before the policies of the vhost',
    }),
  ),
};

/** The fields of an update; one that is left out stays as it is. */
export const PolicyFields = {
  name: t.Optional(NewPolicy.name),
  values: t.Optional(RecipeValues),
  everywhere: NewPolicy.everywhere,
};

/** Creates a policy, or changes one. */
export const PolicyOperation = t.Object(
  {
    op: t.Literal('policy'),
    id: t.Optional(integer({ description: 'if left out, the policy is created' })),
    recipe: t.Optional(NewPolicy.recipe),
    ...PolicyFields,
  },
  { title: 'ChangePolicy' },
);

/** Undoes an entry of the changelog, or all entries of one request. */
export const UndoEntry = t.Object(
  { op: t.Literal('undo'), id: integer({ description: 'of an entry of the changelog' }) },
  { title: 'UndoEntry' },
);
export const UndoGroup = t.Object(
  { op: t.Literal('undo'), group: integer({ description: 'of entries of the changelog' }) },
  { title: 'UndoGroup' },
);

/** @throws Failure as `createPolicy` and `updatePolicy` */
export function policyChangeOf(
  operation: Static<typeof PolicyOperation>,
  current: SiteSet,
): Promise<Change<Policy>> {
  const { id, name = '', recipe = '', values = {}, everywhere } = operation;
  return id === undefined
    ? createPolicy({ name, recipe, values, everywhere })
    : updatePolicy(current, id, operation);
}

type NewPolicyInput = {
  name: string;
  recipe: string;
  values: Values;
  everywhere?: boolean | undefined;
};

/** @throws Failure INVALID_REQUEST, here; and as `createPolicyChange` */
export async function createPolicy(input: NewPolicyInput): Promise<Change<Policy>> {
  const { name, recipe, everywhere = false } = input;
  const values = await storedValues(recipe, input.values);
  return createPolicyChange({ name, recipe, values, everywhere });
}

/**
 * @param current a set with the policy
 * @throws Failure INVALID_REQUEST or NOT_FOUND, here; and as `updatePolicyChange`
 */
export async function updatePolicy(
  current: SiteSet,
  id: number,
  { name, values, everywhere }: Partial<Omit<NewPolicyInput, 'recipe'>>,
  expected?: PolicyPrecondition,
): Promise<Change<Policy>> {
  if (!values) return updatePolicyChange(id, { name, everywhere }, expected);
  const { recipe } = findPolicy(current, id);
  const hashed = await hashSecrets(recipe, checkValues(policyRecipe(recipe), values));
  const merged = (stored: Policy) => keepSecrets(recipe, hashed, stored.values);
  return updatePolicyChange(id, { name, values: merged, everywhere }, expected);
}

/** Values as they are stored, of a new policy. @throws Failure INVALID_REQUEST */
export async function storedValues(recipe: string, values: Values): Promise<Values> {
  const checked = checkValues(policyRecipe(recipe), values);
  return keepSecrets(recipe, await hashSecrets(recipe, checked), null);
}

/** @throws Failure INVALID_REQUEST unless there is such a recipe for policies */
export function policyRecipe(id: string): Recipe {
  const recipe = recipeOf(id);
  if (recipe?.kind === 'policy') return recipe;
  const message = recipe
    ? `The recipe ${id} is for the config of one site, not for a policy.`
    : `There is no recipe ${JSON.stringify(id)}.`;
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'recipe' } });
}
