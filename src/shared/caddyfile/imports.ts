/** Finds imports of files in a block of a Caddyfile. Pure. */
import { nearest } from '../nearest.ts';
import { listed } from '../one-line.ts';
import type { Finding, Frame } from './frame.ts';
import { isMasked } from './placeholders.ts';
import type { Block } from './structure.ts';
import { startsLine, tokenize } from './tokenizer.ts';
import { readings } from './variants.ts';

/** The budget for the starts of all lines; see `BUDGET` in variants.ts. */
const BUDGET = 500_000;

/**
 * The first import inside `block` that is not allowed. Caddy looks for a snippet with that name and
 * otherwise reads a file; `mayImport` says which files are allowed.
 */
export function findFileImport(
  frame: Frame,
  block: Block,
  snippets: ReadonlySet<string>,
  mayImport: (target: string) => boolean = () => false,
): Finding | null {
  const { tokens } = frame;
  for (const index of block.imports) {
    const target = tokens[index + 1];
    const named =
      target &&
      !startsLine(tokens, index + 1) &&
      (snippets.has(target.text) || mayImport(target.text));
    if (!named) {
      return { at: tokens[index]?.start ?? 0, ...whyNot(target?.text ?? '', snippets) };
    }
  }
  return findMadeImport(frame, block);
}

/** A name without the characters that make it a path. */
const PLAIN = /^[\w-]+$/;

/** The most snippets that a hint names. */
const MOST_NAMED = 10;

function whyNot(target: string, snippets: ReadonlySet<string>): Omit<Finding, 'at'> {
  if (!PLAIN.test(target)) {
    return { message: 'Only snippets that the preamble defines can be imported, not files.' };
  }
  const message = 'The preamble defines no snippet with this name, and files cannot be imported.';
  if (snippets.size === 0) return { message, hint: 'The preamble defines no snippets.' };
  const near = nearest(target, snippets);
  const guess = near === undefined ? '' : `Did you mean ${near}? `;
  return { message, hint: `${guess}The preamble defines: ${listed([...snippets], MOST_NAMED)}.` };
}

/** A line whose first word could become `import` when its placeholders are replaced. */
function findMadeImport({ masked, tokens, placeholders }: Frame, block: Block): Finding | null {
  if (placeholders.length === 0) return null;
  const budget = { left: BUDGET };
  let next = 0;
  for (let index = block.first; index < block.close; index++) {
    const token = tokens[index];
    const begins = index === block.open + 1 || startsLine(tokens, index);
    if (!token || !begins || !isMasked(token.text)) continue;
    let last = token;
    for (let other = index + 1; other < block.close && isMasked(last.text); other++) {
      const following = tokens[other];
      if (!following || startsLine(tokens, other)) break;
      last = following;
    }
    while ((placeholders[next]?.start ?? token.start) < token.start) next++;
    const from = next;
    while ((placeholders[next]?.start ?? last.end) < last.end) next++;
    const group = placeholders.slice(from, next);
    const values = ({ fallback }: { fallback: string | null }) => ['', fallback ?? ''];
    const text = masked.slice(token.start, last.end);
    const possible = readings(text, token.start, group, values, budget);
    if (possible === null || possible.some(isImport)) {
      const message = 'A {$…} here could change what is imported; only snippets can be imported.';
      return { at: token.start, message };
    }
  }
  return null;
}

function isImport(line: string): boolean {
  return tokenize(line)[0]?.text === 'import';
}
