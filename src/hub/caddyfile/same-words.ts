/** Whether two pieces of a Caddyfile have the same words, whatever their spacing and comments. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, type TokenizeOptions, tokenize } from '../../shared/caddyfile/tokenizer.ts';

export function sameWords(one: string, other: string, dialect: TokenizeOptions): boolean {
  if (one === other) return true;
  const [words, others] = [wordsOf(one, dialect), wordsOf(other, dialect)];
  return words.length === others.length && words.every((word, at) => word === others[at]);
}

/** Each word as it is written, after a sign for those that begin a line. */
function wordsOf(text: string, dialect: TokenizeOptions): string[] {
  const tokens = tokenize(maskPlaceholders(text).masked, dialect);
  return tokens.map(
    ({ start, end }, at) => `${startsLine(tokens, at) ? '\n' : ' '}${text.slice(start, end)}`,
  );
}
