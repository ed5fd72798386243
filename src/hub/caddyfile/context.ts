/** What the text of a site with policies depends on besides the site: the proxy and the preamble. Pure. */
import { dialectOf, type Wording, wordingOf } from '../../shared/caddyfile/dialect.ts';
import type { Policy } from '../recipes/policy.ts';
import { recipeOf } from '../recipes/registry.ts';
import type { Guard } from './guarded.ts';
import { type Imports, readImports } from './snippets.ts';

export type Context = Imports & { wording: Wording };

type CachedContext = { preamble: string; version: string | null; context: Context };

/** The last ones: a site is rendered once for each, and what is stored and what is next take turns. */
const MOST_KNOWN = 4;
let known: readonly CachedContext[] = [];

/** Mostly the same object for the same arguments. @param version the proxy's, null if it is not known */
export function contextOf(preamble: string, version: string | null): Context {
  const found = known.find((one) => one.preamble === preamble && one.version === version);
  const context = found?.context ?? {
    ...readImports(preamble, dialectOf(version)),
    wording: wordingOf(version),
  };
  known = [{ preamble, version, context }, ...known.filter((one) => one !== found)];
  known = known.slice(0, MOST_KNOWN);
  return context;
}

/** A policy as text for this proxy. A program that no longer has its recipe lets nobody in. */
export function guardOf({ name, recipe: id, values }: Policy, { wording }: Context): Guard {
  const recipe = recipeOf(id);
  const writing = { wording, prefix: `@policy-${name}-` };
  return {
    name,
    lines: recipe?.write(values, writing) ?? ['error 503'],
    site: recipe?.writeSite?.(values, writing) ?? [],
  };
}
