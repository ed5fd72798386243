/** Finds directives among the tokens of a Caddyfile. Pure. */
import { startsLine, type Token } from '../../shared/caddyfile/tokenizer.ts';

/**
 * The argument of the directive `name` at `index`, if it has exactly one.
 * @param mayOpenBlock whether a `{` may follow the argument
 * @returns undefined if it has none or several, or something else is at `index`
 */
export function onlyArgument(
  tokens: readonly Token[],
  index: number,
  name: string,
  mayOpenBlock = false,
): Token | undefined {
  if (tokens[index]?.text !== name || !startsLine(tokens, index)) return undefined;
  if (startsLine(tokens, index + 1)) return undefined;
  const next = tokens[index + 2];
  const isLast = !next || startsLine(tokens, index + 2) || (mayOpenBlock && next.text === '{');
  return isLast ? tokens[index + 1] : undefined;
}
