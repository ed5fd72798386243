/** Writes snippets that hold whole sites into the places where they are imported. Pure. */

import { afterLine } from '../../../hub/caddyfile/directive.ts';
import { type Edit, edited } from '../../../shared/caddyfile/globals.ts';
import { maskPlaceholders } from '../../../shared/caddyfile/placeholders.ts';
import { startsLine, type TokenizeOptions, tokenize } from '../../../shared/caddyfile/tokenizer.ts';

/** How deep snippets may import each other. */
const DEEPEST = 10;
/** Characters: more than the hub publishes at once. A longer text is left to the proxy, which refuses it. */
const LONGEST = 8 * 1024 * 1024;

type Snippet = { name: string; body: string; start: number; end: number };
type Import = { name: string; args: readonly string[]; start: number; end: number };
type Read = {
  snippets: readonly Snippet[];
  imports: readonly Import[];
  inside: ReadonlySet<string>;
};

/**
 * A Caddyfile without imports outside of its blocks, as far as they are of its own snippets. Those that are
 * not imported elsewhere are left out, because they may hold sites.
 * @returns the same text if there are none, or what they import cannot be written there
 */
export function expandSites(text: string, options: TokenizeOptions = {}): string {
  let expanded = text;
  for (let depth = 0; depth < DEEPEST; depth++) {
    if (!expanded.includes('import')) return expanded;
    const { snippets, imports, inside } = read(expanded, options);
    const known = new Map(snippets.map((one) => [one.name, one]));
    const own = imports.filter(({ name }) => known.has(name));
    if (own.length === 0) return expanded;
    const imported = new Set(own.map(({ name }) => name));
    let length = expanded.length;
    const edits: Edit[] = [];
    for (const { name, args, start, end } of own) {
      const body = filled(known.get(name)?.body ?? '', args);
      if (body === null) return text;
      length += body.length;
      if (length > LONGEST) return text;
      edits.push({ start, end, text: body });
    }
    for (const { name, start, end } of snippets) {
      if (imported.has(name) && !inside.has(name)) edits.push({ start, end, text: '' });
    }
    edits.sort((one, other) => one.start - other.start);
    expanded = edited(expanded, edits);
  }
  return expanded;
}

/** The snippets, the imports outside of blocks, and the names that blocks import. */
function read(text: string, options: TokenizeOptions): Read {
  const tokens = tokenize(maskPlaceholders(text).masked, options);
  const snippets: Snippet[] = [];
  const imports: Import[] = [];
  const inside = new Set<string>();
  let depth = 0;
  let open: { name: string; start: number; from: number } | null = null;
  for (const [at, token] of tokens.entries()) {
    const isFirst = startsLine(tokens, at);
    const next = tokens[at + 1];
    if (token.quote !== '') continue;
    if (token.text === '{' && startsLine(tokens, at + 1)) depth++;
    else if (token.text === '}' && isFirst) {
      depth--;
      if (depth > 0 || !open) continue;
      const { name, start, from } = open;
      const end = afterLine(text, token.end, next?.start ?? text.length);
      snippets.push({ name, body: text.slice(from, token.start).trim(), start, end });
      open = null;
    } else if (depth === 0 && isFirst && /^\([^)]+\)$/.test(token.text) && next?.text === '{') {
      open = { name: token.text.slice(1, -1), start: token.start, from: next.end };
    } else if (token.text === 'import' && isFirst && next && !startsLine(tokens, at + 1)) {
      if (depth > 0) inside.add(next.text);
      else imports.push(importAt(at));
    }
  }
  return { snippets, imports, inside };

  function importAt(at: number): Import {
    let last = at + 1;
    while (tokens[last + 1] && !startsLine(tokens, last + 1)) last++;
    const words = tokens.slice(at + 1, last + 1);
    const [name = '', ...args] = words.map(({ start, end }) => text.slice(start, end));
    return { name, args, start: tokens[at]?.start ?? 0, end: tokens[last]?.end ?? 0 };
  }
}

/** An argument that stands for itself wherever it is written. */
const PLAIN = /^[^\s"`{}\\]+$/;

/** The body of a snippet with its arguments; null if they cannot be written there. */
function filled(body: string, args: readonly string[]): string | null {
  if (!args.every((arg) => PLAIN.test(arg))) return null;
  const longest = Math.max(0, ...args.map(({ length }) => length));
  if ((body.length / '{args.0}'.length) * longest > LONGEST) return null;
  const text = body.replaceAll(/\{args(?:\.(\d+)|\[(\d+)\])\}/g, (whole, old, current) => {
    return args[Number(old ?? current)] ?? whole;
  });
  return /\{(?:args|blocks?)\b/.test(text) ? null : text;
}
