/** The policies that a site can have, and the recipes for new ones and for its config. */
import { get } from '../lib/api.ts';
import type { Policy } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import type { Recipe } from '../recipes/recipes.ts';

export type Policies = {
  /** Undefined until they are loaded. */
  policies: readonly Policy[] | undefined;
  /** Of both kinds. */
  recipes: readonly Recipe[] | undefined;
  /** Why they could not be loaded, in a sentence; null if they could. */
  error: string | null;
  /** Adds one that was just made. */
  add: (policy: Policy) => void;
};

export function usePolicies(): Policies {
  const policies = useLoad('policies', (signal) => get<Policy[]>('/policies', signal));
  const recipes = useLoad('recipes', (signal) => get<Recipe[]>('/recipes', signal));
  return {
    policies: policies.data,
    recipes: recipes.data,
    error: policies.error ?? recipes.error,
    add: (policy) => policies.set((all = []) => [...all, policy]),
  };
}
