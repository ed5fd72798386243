import { isBrace, startsLine, type Token } from './tokenizer.ts';

/** One `addresses { … }` of a Caddyfile, given by indexes into its tokens. */
export type Block = {
  /** The addresses, snippet name or, where empty, nothing before the brace: global options. */
  keys: Token[];
  /** Index of the first token, of the opening and of the closing brace. */
  first: number;
  open: number;
  close: number;
  /** Every `import` that Caddy obeys inside the block. */
  imports: number[];
};

/**
 * Why no closed block can be relied on here. `token` is the one at fault, for `unclosed` the
 * innermost brace that stays open; `closed` is the brace that the last `}` before it closed.
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
    | 'address';
  token: Token;
  closed: Token | null;
};

/** What `readBlock` found: a block that ends, or the first flaw. */
export type Reading = { block: Block; flaw: null } | { block: null; flaw: Flaw };

/**
 * Follows Caddy's parser through the block that begins at token `first`. `vanishes` says that a
 * token may turn out to be nothing at all (a placeholder for a variable that is empty).
 */
export function readBlock(
  tokens: readonly Token[],
  first: number,
  vanishes: (token: Token) => boolean,
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
  /** Whether the directive under way has a word that stays; a brace without one is not counted. */
  let solid = false;
  /** Whether the next token begins a directive whatever line it is on. */
  let fresh = true;
  for (; index < tokens.length; index++) {
    const token = at(index);
    const inside = stack.length > 1;
    const begins = fresh || startsLine(tokens, index);
    if (token.text === '}') {
      if (!inside && !begins) return fail('stray-close', token);
      if (!inside) return { block: { keys, first, open, close: index, imports }, flaw: null };
      closed = stack.pop() ?? null;
      fresh = false;
    } else if (token.text === '{') {
      if (!inside && !solid) return fail('bare-brace', token);
      stack.push(token);
      fresh = false;
    } else if (begins && token.text === 'import') {
      imports.push(index);
      while (index + 1 < tokens.length && !startsLine(tokens, index + 1)) {
        const argument = at(index + 1);
        if (argument.text === '{') {
          if (!inside) return fail('import-block', token);
          break;
        }
        if (isBrace(argument)) return fail('import-brace', argument);
        index++;
      }
      solid = inside && solid;
      fresh = !inside;
    } else {
      if (begins && !inside) solid = false;
      solid ||= !vanishes(token);
      fresh = false;
    }
  }
  return fail('unclosed', stack.at(-1) ?? at(open));
}

const END: Token = { text: '', line: 0, start: 0, end: 0, quote: '' };
