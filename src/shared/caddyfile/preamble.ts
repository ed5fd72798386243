/** Checks the preamble, the global options and snippets before the sites, and reads its snippets. Pure. */
import { explainOpen, findHiddenBrace, NEIGHBOUR } from './check.ts';
import { type Fault, type Finding, type Frame, frame, openQuote, toFault } from './frame.ts';
import { globalOptions } from './globals.ts';
import { findFileImport } from './imports.ts';
import { isMasked } from './placeholders.ts';
import { type Block, readBlock, vanishes } from './structure.ts';
import {
  becomesBrace,
  isBrace,
  startsLine,
  type Token,
  type TokenizeOptions,
  withoutArguments,
} from './tokenizer.ts';
import { findStructuralPlaceholder } from './variants.ts';

/**
 * The first reason why `preamble` cannot precede the sites, or null. It may contain comments, one
 * global options block at the start, snippets, and from Caddy 2.7 on (`heredocs`) named routes.
 */
export function checkPreamble(preamble: string, options: TokenizeOptions = {}): Fault | null {
  const before = '\n';
  const framed = frame(before, preamble, NEIGHBOUR, options);
  return toFault(preamble, before, framed.frame ? findInPreamble(framed.frame) : framed.finding);
}

export const snippetNames = (preamble: string, options: TokenizeOptions = {}): Set<string> =>
  new Set(snippetsOf(preamble, options).keys());

/** The text between the braces of each snippet of a preamble, by its name. */
export function snippetsOf(preamble: string, options: TokenizeOptions = {}): Map<string, string> {
  const before = '\n';
  const snippets = new Map<string, string>();
  const framed = frame(before, preamble, NEIGHBOUR, options);
  if (!framed.frame) return snippets;
  const { tokens, neighbour } = framed.frame;
  for (let index = 0; (tokens[index]?.start ?? neighbour) < neighbour; ) {
    const { block } = readBlock(tokens, index, vanishes, options.importBlocks);
    if (!block) break;
    const name = snippetName(block);
    const [from, to] = [tokens[block.open]?.end ?? 0, tokens[block.close]?.start ?? 0];
    if (name !== null && !isMasked(name)) {
      snippets.set(name, preamble.slice(from - before.length, to - before.length));
    }
    index = block.close + 1;
  }
  return snippets;
}

/** It would move the certificates and their keys. */
const NO_STORAGE = 'The storage option is not allowed here.';

function findInPreamble(frame: Frame): Finding | null {
  const { tokens, neighbour } = frame;
  const hidden = findHiddenBrace(tokens);
  if (hidden) return hidden;
  const blocks: Block[] = [];
  const names = new Set<string>();
  for (let index = 0; (tokens[index]?.start ?? neighbour) < neighbour; ) {
    const { block, flaw } = readBlock(tokens, index, vanishes, frame.options.importBlocks);
    if (flaw) return explainOpen(frame, flaw);
    const first = tokens[index];
    const at = first?.start ?? 0;
    const name = snippetName(block);
    if (block.open === index) {
      if (index > 0) return { at, message: 'Global options must come first, and only once.' };
    } else if (name !== null) {
      if (isMasked(name)) return { at, message: 'The name of a snippet cannot contain a {$…}.' };
      if (names.has(name)) return { at, message: 'This snippet is already defined.' };
      names.add(name);
    } else if (!frame.options.heredocs || !isNamedRoute(block)) {
      return { at, message: 'Only global options and snippets belong here; this is a site.' };
    }
    blocks.push(block);
    index = block.close + 1;
  }
  const last = tokens[(blocks.at(-1)?.close ?? -1) + 1];
  if (last?.start !== neighbour) return openQuote(frame);

  const unstable = findStructuralPlaceholder(frame, (one) => isBrace(one) || becomesBrace(one));
  if (unstable) return unstable;
  for (const block of blocks) {
    // Caddy reads global options before it knows any snippet.
    const known = block.keys.length === 0 ? new Set<string>() : names;
    const finding = findFileImport(frame, block, known) ?? findRiskyArgument(tokens, block);
    if (finding) return finding;
  }
  const options = globalOptions(frame.masked, frame.options);
  const storage = options.find(({ name }) => name === 'storage');
  return storage ? { at: storage.start, message: NO_STORAGE } : null;
}

function snippetName({ keys }: Block): string | null {
  const text = keys.length === 1 ? (keys[0]?.text ?? '') : '';
  return text.length > 1 && text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1) : null;
}

function isNamedRoute({ keys }: Block): boolean {
  const text = keys.length === 1 ? (keys[0]?.text ?? '') : '';
  return text.startsWith('&(') && text.endsWith(')');
}

/**
 * A word that an import's argument could turn into an import of a file: Caddy inserts the arguments into a
 * snippet before it interprets the words.
 */
function findRiskyArgument(tokens: readonly Token[], block: Block): Finding | null {
  for (let index = block.open + 1; index < block.close; index++) {
    const token = tokens[index];
    if (!token?.text.includes('{args')) continue;
    const begins = block.importBlocks || index === block.open + 1 || startsLine(tokens, index);
    if (begins && fits(withoutArguments(token.text), 'import')) {
      return {
        at: token.start,
        message: 'A placeholder here could change what is imported.',
      };
    }
  }
  return null;
}

/** Whether inserting any text between `parts` can give `word`. */
function fits(parts: readonly string[], word: string): boolean {
  const [head = '', ...rest] = parts;
  const tail = rest.pop();
  if (tail === undefined || !word.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = word.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return word.length - tail.length >= at && word.endsWith(tail);
}
