/** How large and how deep a Caddyfile becomes once Caddy has put its snippets in place. Pure. */
import { findDisputed, findHiddenBrace } from './check.ts';
import { type Fault, type Finding, toFault } from './frame.ts';
import { MAX_DEPTH } from './structure.ts';
import {
  MAX_ALL_WORDS,
  startsLine,
  type Token,
  type TokenizeOptions,
  tokenize,
} from './tokenizer.ts';

type Weight = {
  /** How many tokens the text itself has; what comes after too many is not read. */
  tokens: number;
  /** At most how many characters Caddy reads; infinite if that cannot be told. */
  size: number;
  /** The line, from 1, of the first block inside more than `MAX_DEPTH` others, or null. */
  deep: number | null;
  /** The line, from 1, of the first upstream with more than `MAX_PORTS` ports, or null. */
  range: number | null;
  /** The first word that is or becomes a brace in some Caddys only, or null. */
  disputed: Fault | null;
};

/** An import: `length` is that of its arguments, of which `passed` are those of its own snippet. */
type Import = { target: string; depth: number; length: number; passed: number; line: number };

/** A snippet, or all that is in none; `uses` counts its arguments, `depth` is its deepest block. */
type Part = { size: number; uses: number; depth: number; imports: Import[] };

/** A part with what it imports: `size` characters, and `uses` times the length of its arguments. */
type Total = Pick<Part, 'size' | 'uses' | 'depth'>;

const UNKNOWN: Total = { size: Number.POSITIVE_INFINITY, uses: 0, depth: 0 };
const TOO_LARGE: Total = { ...UNKNOWN, size: Number.MAX_VALUE };

/** How many snippets may import each other in a row before their size counts as too large. */
const CHAIN = 32;

/**
 * How many characters Caddy may have to read once snippets are in place. It takes some 200 bytes of
 * memory for each.
 */
export const MAX_SIZE = 32 * 1024 * 1024;

/** More ports of one upstream than anyone forwards to; each becomes an upstream of its own (from 2.7 on). */
export const MAX_PORTS = 100;

/** A port of a range takes the memory of as many characters (measured on 2.11.4). */
const PORT_SIZE = 8;
/** As `php_fastcgi`, a line becomes a group of routes (measured on both: 90 MiB for 96 KiB of them). */
const PHP_SIZE = 40;

/** How to read a text that is weighed: as far as any may go. */
export const weighing = (dialect: TokenizeOptions): TokenizeOptions => ({
  ...dialect,
  most: MAX_ALL_WORDS + 1,
});

/**
 * Weighs a whole Caddyfile; imports of files count as nothing.
 * @param tokens of the text, read as `weighing` says
 */
export function weigh(
  text: string,
  tokens: readonly Token[] = tokenize(text, weighing({})),
): Weight {
  const { snippets, rest, deep, range, disputed } = readParts(tokens);
  const totals = new Map<string, Total>();

  function totalOf(part: Part, chain: number): Total {
    let { size, uses, depth } = part;
    for (const { target, length, passed, ...place } of part.imports) {
      const inner = imported(target, chain);
      size += inner.size + inner.uses * length;
      uses += inner.uses * passed;
      depth = Math.max(depth, place.depth + inner.depth);
    }
    return { size, uses, depth };
  }

  function imported(target: string, chain: number): Total {
    const known = totals.get(target);
    if (known) return known;
    const part = snippets.get(target);
    if (!part) return { size: 0, uses: 0, depth: 0 };
    // A snippet that imports itself finds this, and Caddy refuses it.
    totals.set(target, UNKNOWN);
    const total = chain > CHAIN ? TOO_LARGE : totalOf(part, chain + 1);
    totals.set(target, total);
    return total;
  }

  const { size } = totalOf(rest, 0);
  const tooDeep = [rest, ...snippets.values()]
    .flatMap(({ imports }) => imports)
    .find(({ target, depth }) => depth + imported(target, 0).depth > MAX_DEPTH);
  return {
    tokens: tokens.length,
    size: Number.isNaN(size) ? Number.POSITIVE_INFINITY : size,
    deep: deep ?? tooDeep?.line ?? null,
    range,
    disputed: toFault(text, '', disputed),
  };
}

function readParts(tokens: readonly Token[]) {
  const snippets = new Map<string, Part>();
  const rest: Part = { size: 0, uses: 0, depth: 0, imports: [] };
  let part = rest;
  let depth = 0;
  let deep: number | null = null;
  let range: number | null = null;
  let directive = '';
  let disputed: Finding | null = null;
  for (const [index, token] of tokens.entries()) {
    const { text, line } = token;
    const before = tokens[index - 1]?.text;
    if (text === '}') depth = Math.max(depth - 1, 0);
    if (depth === 0 && tokens[index + 1]?.text === '{' && startsLine(tokens, index)) {
      const name = /^\((.+)\)$/.exec(text)?.[1];
      part = rest;
      if (name !== undefined) {
        part = { size: 0, uses: 0, depth: 0, imports: [] };
        snippets.set(name, part);
      }
    }
    const mayHide = token.quote !== '' || part !== rest;
    if (mayHide) disputed ??= (part === rest ? findDisputed : findHiddenBrace)([token]);
    if (text === '{') depth++;
    // What is in a snippet is as deep as its import, which replaces the snippet's own block.
    const nested = part === rest ? depth : depth - 1;
    if (nested > MAX_DEPTH) deep ??= line;
    part.depth = Math.max(part.depth, nested);
    if (startsLine(tokens, index) || before === '{') directive = text;
    const ports = countPorts(text);
    if (ports > MAX_PORTS && TAKES_UPSTREAMS.has(directive)) range ??= line;
    part.size += token.end - token.start + 1 + ports * PORT_SIZE;
    if (text === 'php_fastcgi') part.size += PHP_SIZE;
    part.uses += countArguments(text);
    if (text === 'import' && (startsLine(tokens, index) || before === '{' || before === '}')) {
      part.imports.push({ ...readImport(tokens, index), depth: nested });
    }
    if (depth === 0 && text === '}') part = rest;
  }
  return { snippets, rest, deep, range, disputed };
}

function readImport(tokens: readonly Token[], index: number): Omit<Import, 'depth'> {
  const line = tokens[index]?.line ?? 1;
  let [length, passed] = [0, 0];
  let at = index + 1;
  const target = startsLine(tokens, at) ? '' : (tokens[at]?.text ?? '');
  for (at++; at < tokens.length && !startsLine(tokens, at); at++) {
    const { text = '' } = tokens[at] ?? {};
    // The block that follows becomes an argument, imports in it included.
    if (text === '{') length = Number.POSITIVE_INFINITY;
    // It may become a part of a range.
    if (MAY_BE_RANGE.test(text)) length = Number.POSITIVE_INFINITY;
    length += text.length + 1;
    passed += countArguments(text);
  }
  return { target, length, passed, line };
}

const TAKES_UPSTREAMS = new Set(['reverse_proxy', 'php_fastcgi', 'forward_auth', 'to']);

/** How many ports a word may stand for; infinite if an argument of a snippet may make it a range. */
function countPorts(word: string): number {
  if (!word.includes('-')) return 0;
  if (MAY_BE_RANGE.test(word) && word.includes('{args')) return Number.POSITIVE_INFINITY;
  const [, from = '', to = ''] = /(?:^|:)(\d{1,5})-(\d{1,5})$/.exec(word) ?? [];
  return to === '' ? 0 : Math.max(0, Math.min(Number(to), 65_535) - Number(from) + 1);
}

/** A hyphen before a number, an argument or the end. */
const MAY_BE_RANGE = /-(?:\d|\{|$)/;

/** How many `{args…}` and `{block…}` a word has; each may stand for all arguments. */
function countArguments(word: string): number {
  if (!word.includes('{args') && !word.includes('{block')) return 0;
  return word.split('{args').length + word.split('{block').length - 2;
}
