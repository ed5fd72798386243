/** Finds the blocks of a Caddyfile as Caddy's parser does. Pure. */
import { maskPlaceholders, UNKNOWN } from './placeholders.ts';
import { isBlockArgument, isBrace, startsLine, type Token, tokenize } from './tokenizer.ts';

/** One `addresses { … }` of a Caddyfile, as indexes into its tokens. */
export type Block = {
  /** The addresses or the snippet name before the brace; empty for global options. */
  keys: Token[];
  /** Index of the first token, of the opening and of the closing brace. */
  first: number;
  open: number;
  close: number;
  /** Every `import` that Caddy follows, or may follow, inside the block. */
  imports: number[];
  /** Whether one of them has a block, which Caddy may put at any place of the snippet. */
  importBlocks: boolean;
};

/**
 * Why this is not a closed block. `token` is at fault, for `unclosed` the innermost open brace;
 * `closed` is the brace that the last `}` before it closed.
 */
export type Flaw = {
  kind:
    | 'no-block'
    | 'unclosed'
    | 'bare-brace'
    | 'stray-close'
    | 'import-address'
    | 'import-brace'
    | 'import-block'
    | 'import-line'
    | 'address'
    | 'too-deep';
  token: Token;
  closed: Token | null;
};

/**
 * How many blocks may be open at once, the site's own included: Caddy takes quadratic time for
 * nested ones, 12 s for a thousand.
 */
export const MAX_DEPTH = 64;

/** Whether a token consists only of placeholders, so that it vanishes if their variables are empty. */
export function vanishes(token: Token): boolean {
  if (token.quote !== '' || token.text === '') return false;
  for (const unit of token.text) if (unit !== UNKNOWN) return false;
  return true;
}

/** A closed block, or the first flaw. */
type Reading = { block: Block; flaw: null } | { block: null; flaw: Flaw };

/**
 * Follows Caddy's parser through the block that begins at token `first`.
 * @param vanishes whether a token may become empty (a placeholder for an empty variable)
 * @param importBlocks whether an import may have a block, as since 2.9
 */
export function readBlock(
  tokens: readonly Token[],
  first: number,
  vanishes: (token: Token) => boolean,
  importBlocks = false,
): Reading {
  let closed: Token | null = null;
  const fail = (kind: Flaw['kind'], token: Token): Reading => ({
    block: null,
    flaw: { kind, token, closed },
  });
  const at = (index: number): Token => tokens[index] ?? END;

  const keys: Token[] = [];
  let index = first;
  let more = false;
  for (; index < tokens.length; index++) {
    const token = at(index);
    if (index > first && !more && startsLine(tokens, index)) break;
    if (token.text === '{') break;
    if (token.text === 'import' && startsLine(tokens, index)) return fail('import-address', token);
    if (token.text.endsWith('{') || token.text.replace(/,$/, '').includes(',')) {
      return fail('address', token);
    }
    more = token.text === '' ? more : token.text.endsWith(',');
    if (token.text !== '') keys.push(token);
  }
  const open = index++;
  if (at(open).text !== '{') return fail('no-block', at(first));
  if (more) return fail('address', at(open - 1));

  const imports: number[] = [];
  const stack = [at(open)];
  /** Whether the current directive has a word that cannot vanish; only then does a brace count. */
  let solid = false;
  /** Whether the next token begins a directive even if it is on the same line. */
  let fresh = true;
  /** How many blocks are around the outermost block of an import that is open; 0 if none is. */
  let around = 0;
  let hasImportBlock = false;
  for (; index < tokens.length; index++) {
    const token = at(index);
    const inside = stack.length > 1;
    const begins = fresh || startsLine(tokens, index);
    const mayImport = begins || around > 0 || isBlockArgument(tokens[index - 1]);
    // Caddy does not count these braces in the block of an import.
    if (
      around > 0 &&
      isBrace(token) &&
      index + 1 < tokens.length &&
      !startsLine(tokens, index + 1)
    ) {
      const isEmpty = at(index + 1).text === '}' && stack.length === around;
      if (!isEmpty) return fail('import-line', token);
    }
    if (token.text === '}') {
      if (!inside && !begins) return fail('stray-close', token);
      if (!inside) {
        const block = { keys, first, open, close: index, imports, importBlocks: hasImportBlock };
        return { block, flaw: null };
      }
      closed = stack.pop() ?? null;
      fresh = stack.length === around;
      if (fresh) around = 0;
    } else if (token.text === '{') {
      if (!inside && !solid) return fail('bare-brace', token);
      if (stack.length === MAX_DEPTH) return fail('too-deep', token);
      stack.push(token);
      fresh = false;
    } else if (mayImport && token.text === 'import') {
      imports.push(index);
      if (!begins) continue;
      while (index + 1 < tokens.length && !startsLine(tokens, index + 1)) {
        const argument = at(index + 1);
        if (argument.text === '{') {
          if (!inside && !importBlocks) return fail('import-block', token);
          hasImportBlock = true;
          if (around === 0) around = stack.length;
          break;
        }
        if (isBrace(argument)) return fail('import-brace', argument);
        index++;
      }
      solid = around > 0 || (inside && solid);
      fresh = !inside && around === 0;
    } else {
      if (begins && !inside) solid = false;
      solid ||= !vanishes(token);
      fresh = false;
    }
  }
  return fail('unclosed', stack.at(-1) ?? at(open));
}

const END: Token = { text: '', line: 0, start: 0, end: 0, quote: '' };

/**
 * A Caddyfile without its site, snippet or named route on a line; all others keep their lines.
 * @param line from 1
 * @returns null if none is there: it is in the global options, or the blocks cannot be told apart
 */
export function withoutBlock(text: string, line: number | undefined): string | null {
  if (line === undefined) return null;
  const { masked } = maskPlaceholders(text);
  const before = text.split('\n', line - 1).join('\n').length;
  const end = text.indexOf('\n', before + 1);
  for (const heredocs of [true, false]) {
    const tokens = tokenize(masked, { heredocs });
    for (let index = 0; index < tokens.length; ) {
      const { block } = readBlock(tokens, index, () => false, true);
      if (!block) break;
      const [from, to] = [tokens[index]?.start ?? 0, tokens[block.close]?.end ?? 0];
      index = block.close + 1;
      if (block.keys.length === 0 || to <= before || (end >= 0 && from >= end)) continue;
      return text.slice(0, from) + text.slice(from, to).replace(/[^\n]/g, '') + text.slice(to);
    }
  }
  return null;
}
