/** Gives the values of a recipe their types. */
import type { Static, TSchema } from 'elysia';
import type { Line, Recipe, Writing } from './recipe.ts';

type Definition<Fields extends TSchema> = Omit<
  Recipe,
  'fields' | 'example' | 'write' | 'writeSite'
> & {
  fields: Fields;
  example: Static<Fields>;
  write(values: Static<Fields>, writing: Writing): readonly Line[];
  writeSite?(values: Static<Fields>, writing: Writing): readonly Line[];
};

/** A recipe whose `write` gets values of the types that its fields say. */
export const defineRecipe = <Fields extends TSchema>(definition: Definition<Fields>): Recipe =>
  definition as unknown as Recipe;
