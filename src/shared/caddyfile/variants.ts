/** Checks what the structure of a config becomes for all values of its placeholders. Pure. */
import type { Finding, Frame } from './frame.ts';
import { type Placeholder, replaced, UNKNOWN } from './placeholders.ts';
import { isBrace, type Token, type TokenizeOptions, tokenize } from './tokenizer.ts';

/**
 * How many characters of possible readings are checked before a text is refused as too complex. A
 * few hundred placeholders stay far below it, and it takes about 0.1 s.
 */
const BUDGET = 500_000;

type IsBrace = (token: Pick<Token, 'text'>) => boolean;

/** A default that is a plain word. */
const PLAIN = /^[\w.:/@-]+$/;

/**
 * The first placeholder whose value could change more than one word, or a few arguments on its line.
 * A variable may be a plain word, empty, or unset; each token with placeholders is read in every
 * combination of the three, so a text that passes is sound in all of them.
 * @param isOne whether a word is a brace, or becomes one
 */
export function findStructuralPlaceholder(frame: Frame, isOne: IsBrace = isBrace): Finding | null {
  const { masked, tokens, placeholders, options } = frame;
  const budget = { left: BUDGET };
  let index = 0;
  for (let first = 0; first < placeholders.length; ) {
    const placeholder = placeholders[first];
    if (!placeholder) break;
    while ((tokens[index]?.end ?? Number.POSITIVE_INFINITY) <= placeholder.start) index++;
    const token = tokens[index];
    if (!token || token.start > placeholder.start) {
      if (/[\n\\]/.test(placeholder.fallback ?? '')) return refused(placeholder);
      first++;
      continue;
    }
    let next = first;
    while ((placeholders[next]?.start ?? token.end) < token.end) next++;
    const group = placeholders.slice(first, next);
    const rest = token.quote === '' ? '' : token.text.replaceAll(UNKNOWN, '');
    const unsafe = group.find((one) =>
      token.quote === '"'
        ? escapesQuote(masked, token, one) || isOnlyBrace(rest, one, isOne)
        : token.quote === '`'
          ? one.fallback?.includes('`') || isOnlyBrace(rest, one, isOne)
          : one === placeholder && changesToken(masked, token, group, options, budget, isOne),
    );
    if (unsafe) return refused(unsafe);
    first = next;
  }
  return null;
}

/**
 * The possible readings of `text`, which begins at `offset` of the source: every combination of the
 * `values` of its placeholders. Null if they exceed the budget.
 */
export function readings(
  text: string,
  offset: number,
  group: readonly Placeholder[],
  values: (placeholder: Placeholder) => string[],
  budget: { left: number },
): string[] | null {
  const choices = group.map(values);
  const count = choices.reduce((product, { length }) => product * length, 1);
  budget.left -= count * (text.length + 64);
  if (budget.left < 0) return null;
  const moved = group.map((one) => ({ ...one, start: one.start - offset, end: one.end - offset }));
  return Array.from({ length: count }, (_, number) => {
    let rest = number;
    let at = 0;
    return replaced(text, moved, () => {
      const choice = choices[at++] ?? [];
      const value = choice[rest % choice.length] ?? '';
      rest = Math.floor(rest / choice.length);
      return value;
    });
  });
}

function refused({ start, name }: Placeholder): Finding {
  const shown = /^\w{1,64}$/.test(name) ? `{$${name}}` : 'this {$…}';
  const message = `The value of ${shown} could change the structure of the config.`;
  return { at: start, message };
}

/** Inside double quotes: whether the default could end them, or an empty value uncover a backslash. */
function escapesQuote(masked: string, token: Token, { fallback, start }: Placeholder): boolean {
  // A backslash before the opening quote escapes the first character inside.
  if (masked[token.start] === '\\') return true;
  if (fallback !== null && (fallback.includes('"') || fallback.endsWith('\\'))) return true;
  let slashes = 0;
  while (masked[start - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

/**
 * Inside quotes: whether the whole token could be a brace, which counts even in quotes.
 * @param rest the token without its placeholders
 */
function isOnlyBrace(rest: string, { fallback }: Placeholder, isOne: IsBrace): boolean {
  return isOne({ text: rest }) || isOne({ text: rest + (fallback ?? '') });
}

/** Whether some combination reads as a brace, a comment, an open quote or more than its own line. */
function changesToken(
  masked: string,
  token: Token,
  group: readonly Placeholder[],
  options: TokenizeOptions,
  budget: { left: number },
  isOne: IsBrace,
): boolean {
  const heredoc = token.quote === '<<';
  if (!heredoc && group.some(({ fallback }) => fallback?.includes('\n'))) return true;
  const text = masked.slice(token.start, token.end);
  const values = ({ fallback }: Placeholder) =>
    fallback === null || (PLAIN.test(fallback) && !heredoc)
      ? [UNKNOWN, '']
      : [UNKNOWN, '', fallback];
  const variants = readings(text, token.start, group, values, budget);
  if (variants === null) return true;

  const lineEnd = /\r*\n/y;
  lineEnd.lastIndex = token.end;
  const separator = lineEnd.test(masked) ? '\n' : ' ';
  const read = (variant: string) => tokenize(`< ${variant}${separator}>`, options);
  const usual = read(text).at(-1);
  return variants.some((variant) => {
    const tokens = read(variant);
    const last = tokens.at(-1);
    if (last?.text !== '>' || last.quote !== '' || last.start !== variant.length + 3) return true;
    if (tokens.some(isOne)) return true;
    if (heredoc) return tokens.length !== 3 || tokens[1]?.quote !== '<<';
    return last.line !== usual?.line || tokens.at(-2)?.line !== 1;
  });
}
