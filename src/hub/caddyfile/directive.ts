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

/**
 * The offset after the line end that follows `from`, and after a comment on that line, which may be
 * several lines long: a backslash in a comment takes the next line into it.
 * @param next where the next token begins, or the text ends
 * @returns `next` if no line ends before it
 */
export function afterLine(text: string, from: number, next: number): number {
  let start = from;
  let end = text.indexOf('\n', start);
  while (end >= 0 && end < next && text.slice(start, end).includes('\\')) {
    start = end + 1;
    end = text.indexOf('\n', start);
  }
  return end < 0 || end >= next ? next : end + 1;
}
