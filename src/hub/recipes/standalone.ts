/** The text of a recipe to paste into the config of a site. Pure. */
import { wordingOf } from '../../shared/caddyfile/dialect.ts';
import type { Line, Recipe, Values } from './recipe.ts';

/**
 * A policy stands in a `route` before a `handle` for the site's own directives: outside of one, Caddy
 * would sort it behind some of them.
 * @param values valid, with hashes in place of passwords
 * @param version of the proxy, null if unknown
 */
export function standalone(recipe: Recipe, values: Values, version: string | null): string {
  const writing = { wording: wordingOf(version), prefix: `@${recipe.id}-` };
  const textOf = (line: Line) => (typeof line === 'string' ? line : line.text);
  const lines = recipe.write(values, writing).map(textOf);
  if (recipe.kind === 'site') return lines.join('\n');
  return [
    ...(recipe.writeSite?.(values, writing).map(textOf) ?? []),
    'route {',
    ...lines.map((line) => `\t${line}`),
    '\thandle {',
    '\t\t# the directives of the site',
    '\t}',
    '}',
  ].join('\n');
}
