/** The recipes of the hub. */
import { get } from '../lib/api.ts';
import type { Recipe as Answered } from '../lib/api-types.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';
import type { JsonSchema } from './schema.ts';

export type Recipe = Omit<Answered, 'fields'> & { fields: JsonSchema };

/** Those of one kind, in the hub's order. */
export const useRecipes = (kind: Recipe['kind']): Loaded<Recipe[]> =>
  useLoad('recipes', async (signal) =>
    (await get<Recipe[]>('/recipes', signal)).filter((recipe) => recipe.kind === kind),
  );
