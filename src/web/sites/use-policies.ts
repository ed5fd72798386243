/** The policies that a site can have, and the recipes that new ones can be made from. */
import { get } from '../lib/api.ts';
import type { Policy } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { type Recipe, useRecipes } from '../recipes/recipes.ts';

export type Policies = {
  /** Undefined until they are loaded. */
  policies: readonly Policy[] | undefined;
  recipes: readonly Recipe[] | undefined;
  /** Adds one that was just made. */
  add: (policy: Policy) => void;
};

export function usePolicies(): Policies {
  const policies = useLoad('policies', (signal) => get<Policy[]>('/policies', signal));
  const recipes = useRecipes('policy');
  return {
    policies: policies.data,
    recipes: recipes.data,
    add: (policy) => policies.set((all = []) => [...all, policy]),
  };
}
