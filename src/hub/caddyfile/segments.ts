/** Cuts the body of a site block between its directives. Pure. */
import type { Dialect } from '../../shared/caddyfile/dialect.ts';
import { isMasked, maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import {
  isBlockArgument,
  isBrace,
  startsLine,
  type Token,
  tokenize,
} from '../../shared/caddyfile/tokenizer.ts';
import { afterLine } from './directive.ts';
import { countLines } from './site.ts';

/** A piece of a body, which begins a line and ends where one ends. */
export type Segment = {
  /** With the comments before it, and with its last line end if it has one. */
  text: string;
  /** The number, from 1, of its first line in the body. */
  line: number;
  /** Null if it is not for certain exactly one directive, whatever Caddy reads it. */
  directive: Directive | null;
};

export type Directive = {
  /** Its words, braces included; the first is its name. None if there are only comments. */
  words: readonly string[];
  /** The number, from 1, of the line in the body that it begins on. */
  line: number;
  /** What its block contains, as offsets of the segment's text; null if it has none. */
  block: { from: number; to: number } | null;
};

/** A cut, and the tokens before it. Offsets are those of the body. */
type Cut = { at: number; tokens: readonly Token[] };

/**
 * The segments of `body`, in order: together they are the body. They are cut only at line ends where
 * Caddy would not notice it if they were put elsewhere.
 * @param dialects those that it must be sound in
 */
export function segmentsOf(body: string, dialects: readonly Dialect[]): Segment[] {
  const { masked, placeholders } = maskPlaceholders(body);
  const risky = placeholders.filter(({ fallback }) => /[\n\\]/.test(fallback ?? ''));
  const [cuts = [], ...others] = dialects.map((dialect) => cutsIn(masked, dialect));
  const elsewhere = others.map((some) => new Map(some.map(({ at, tokens }) => [at, tokens])));
  const segments: Segment[] = [];
  let from = 0;
  let line = 1;
  let held: Token[] = [];
  for (const { at, tokens } of cuts) {
    held.push(...tokens);
    if (elsewhere.some((other) => !other.has(at))) continue;
    const alike = elsewhere.every((other) => isAlike(held, other.get(at) ?? []));
    const safe = !risky.some(({ start }) => start >= from && start < at);
    const text = body.slice(from, at);
    const before = body.slice(from, held[0]?.start ?? from);
    const first = line + countLines(before) - 1;
    const directive = alike && safe ? readDirective(held, from, first) : null;
    segments.push({ text, line, directive });
    line += countLines(text) - 1;
    from = at;
    held = [];
  }
  return segments;
}

/** Where a dialect can be cut, the end of the text included. */
function cutsIn(masked: string, dialect: Dialect): Cut[] {
  // After a line end, as in the block, so that a byte order mark is part of its word.
  const tokens = tokenize(`\n${masked}`, dialect).map((token) => ({
    ...token,
    start: token.start - 1,
    end: token.end - 1,
  }));
  const whole = [{ at: masked.length, tokens }];
  const cuts: Cut[] = [];
  let depth = 0;
  let from = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text === '{') depth++;
    if (token.text === '}') depth--;
    if (depth < 0) return whole;
    const next = tokens[index + 1];
    if (depth > 0 || (next && !startsLine(tokens, index + 1))) continue;
    const at = next ? afterLine(masked, token.end, next.start) : masked.length;
    if (next && at === next.start && masked[at - 1] !== '\n') continue;
    cuts.push({ at, tokens: tokens.slice(from, index + 1) });
    from = index + 1;
  }
  return depth > 0 || cuts.length === 0 ? whole : cuts;
}

const isAlike = (some: readonly Token[], others: readonly Token[]): boolean =>
  some.length === others.length &&
  some.every(({ text, start }, index) => {
    const other = others[index];
    return text === other?.text && start === other.start;
  });

/** Null unless every brace is where all versions of Caddy understand the same by it. */
function readDirective(tokens: readonly Token[], from: number, line: number): Directive | null {
  const [name] = tokens;
  if (!name) return { words: [], line, block: null };
  if (name.quote !== '' || isBrace(name) || isMasked(name.text)) return null;
  let depth = 0;
  let closed = false;
  for (const [index, token] of tokens.entries()) {
    if (depth === 0 && (closed || isBlockArgument(token))) return null;
    if (depth === 0 && index > 0 && startsLine(tokens, index)) return null;
    if (!isBrace(token)) continue;
    const opens = token.text === '{';
    const isLast = index === tokens.length - 1 || startsLine(tokens, index + 1);
    if (token.quote !== '' || !isLast || startsLine(tokens, index) === opens) return null;
    depth += opens ? 1 : -1;
    closed = depth === 0;
  }
  const open = tokens.find(({ text }) => text === '{');
  const close = tokens.at(-1);
  return {
    words: tokens.map(({ text }) => text),
    line,
    block: open && close ? { from: open.end - from, to: close.start - from } : null,
  };
}
