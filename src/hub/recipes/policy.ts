/** A policy: a recipe with values, under a name, on any number of vhosts. */
import type { Values } from './recipe.ts';

/** Immutable: a changed policy is a new object, and so is each vhost that names it. */
export type Policy = Readonly<{
  id: number;
  name: string;
  /** The id of its recipe. */
  recipe: string;
  /** As stored, with hashes in place of passwords. */
  values: Values;
  /** Whether every vhost has it that does not leave it out, also those that are still to come. */
  everywhere: boolean;
  /** What keeps it as it is, such as a file; null: people do. */
  source: string | null;
  /** The digest of what the source last made of it; null as `source`. */
  applied: string | null;
  createdAt: Date;
  updatedAt: Date;
}>;
