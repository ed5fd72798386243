/** Every recipe, by its id. */
import { maintenance } from './policies/maintenance.ts';
import type { Recipe } from './recipe.ts';

/** In the order in which people see them. */
export const RECIPES: readonly Recipe[] = [maintenance];

const byId = new Map(RECIPES.map((recipe) => [recipe.id, recipe]));

export const recipeOf = (id: string): Recipe | undefined => byId.get(id);
