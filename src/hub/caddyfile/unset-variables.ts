/** `{$NAME}` for a variable that Caddy's environment lacks: nothing stands in its place. Pure. */
import { findPlaceholders } from '../../shared/caddyfile/placeholders.ts';

/** How many are named. */
const MOST_NAMED = 5;

/**
 * The names of the variables without a default that are not in an environment, each once; none if that is not known.
 * @param environment the names of the variables in it, or null
 * @param line only those of this line, from 1
 */
export function unsetIn(
  text: string,
  environment: readonly string[] | null,
  line?: number,
): string[] {
  if (environment === null || !text.includes('{$')) return [];
  const lines = text.split('\n');
  const known = new Set(environment);
  const starts: number[] = [];
  for (let at = 0, row = 0; row < lines.length; row++) {
    starts.push(at);
    at += (lines[row]?.length ?? 0) + 1;
  }
  let row = 0;
  let isComment = lines[0]?.trimStart().startsWith('#');
  const found = findPlaceholders(text).placeholders.flatMap(({ name, fallback, start }) => {
    const last = row;
    while ((starts[row + 1] ?? Number.POSITIVE_INFINITY) <= start) row++;
    // Once for each line: it may have all of them.
    if (row > last) isComment = lines[row]?.trimStart().startsWith('#');
    const isElsewhere = line !== undefined && line !== row + 1;
    return fallback !== null || known.has(name) || isComment || isElsewhere ? [] : name;
  });
  return [...new Set(found)];
}

/** What is wrong, and the fix: two sentences. Undefined if there are none. */
export function sayUnset(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MOST_NAMED).map((name) => `\`{$${name}}\``);
  const more = names.length - shown.length;
  const all = (more > 0 ? [...shown, `${more} more`] : shown).join(', ');
  const what =
    names.length === 1
      ? `${all} is not set in Caddy’s environment, and stands for nothing. Set it`
      : `${all} are not set in Caddy’s environment, and stand for nothing. Set them`;
  return `${what} in the file that PROXY_ENV_FILE names and restart signalbox, or write the value.`;
}
