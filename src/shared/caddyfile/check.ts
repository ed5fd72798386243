/** Checks that a site's config cannot reach outside its own block. Pure. */
import { isDisputed } from './dialect.ts';
import {
  type Fault,
  type Finding,
  type Frame,
  type FrameOptions,
  frame,
  openQuote,
  toFault,
} from './frame.ts';
import { findFileImport } from './imports.ts';
import { type Block, type Flaw, MAX_DEPTH, readBlock, vanishes } from './structure.ts';
import { becomesBrace, type Token } from './tokenizer.ts';
import { findStructuralPlaceholder } from './variants.ts';

export type CheckOptions = FrameOptions & {
  /** Names of the preamble's snippets; every other import is of a file. */
  snippets?: ReadonlySet<string>;
  /** Folders whose files may be imported. Only names are checked here; the agent checks the files. */
  importDirs?: readonly string[];
};

/** A site to put after a text, to see whether it is still a separate site there. */
export const NEIGHBOUR = '\n\nneighbour.example {\n}\n';

/**
 * The first reason why `config` could reach outside its own block, or null. A `body` is what goes
 * into `ADDRESS {⏎config⏎}`; a `block` is a whole site block, including addresses and braces.
 * `{upstream}` counts as the plain word that will replace it.
 */
export function checkConfig(
  config: string,
  form: 'body' | 'block',
  options: CheckOptions = {},
): Fault | null {
  const before = form === 'body' ? 'site.example {\n' : '\n';
  const framed = frame(before, config, form === 'body' ? '\n}' : NEIGHBOUR, options);
  if (!framed.frame) return toFault(config, before, framed.finding);
  const disputed = findDisputed(framed.frame.tokens);
  if (disputed) return toFault(config, before, disputed);
  const found = form === 'body' ? readBody(framed.frame) : readSite(framed.frame);
  const finding = found.block ? findUnsound(framed.frame, found.block, options) : found.finding;
  return toFault(config, before, finding);
}

/** What the values of its placeholders, or its imports, could make of a block. */
function findUnsound(frame: Frame, block: Block, options: CheckOptions): Finding | null {
  if (frame.placeholders.length === 0 && block.imports.length === 0) return null;
  const { snippets = new Set(), importDirs } = options;
  return (
    findStructuralPlaceholder(frame) ?? findFileImport(frame, block, snippets, isBelow(importDirs))
  );
}

/** The first quoted brace: an upgrade of Caddy would make another structure of the same text. */
export function findDisputed(tokens: readonly Token[]): Finding | null {
  const token = tokens.find(isDisputed);
  return token ? disputedFinding(token) : null;
}

/** @param isImported whether it is in a text that is imported, where a backslash would not help */
function disputedFinding({ start: at, text }: Token, isImported = false): Finding {
  const [does, shown] =
    text === '{' ? ['opens', ''] : ['closes', ' (Caddy 2.6 also shows the backslash)'];
  const instead = isImported ? 'put more between the quotes' : `write "\\${text}"${shown}`;
  return {
    at,
    message: `Up to Caddy 2.11.4 this quoted ${text} ${does} a block, in newer versions it is text.`,
    hint: `If it ${does} a block, remove the quotes. If it is text, ${instead}.`,
  };
}

/**
 * The first word of a text that is imported, such as a snippet, which is or becomes a brace in some Caddy
 * only. @param tokens all of them, or those of the text
 */
export function findHiddenBrace(tokens: readonly Token[]): Finding | null {
  const token = tokens.find((one) => isDisputed(one) || becomesBrace(one));
  if (!token) return null;
  if (isDisputed(token)) return disputedFinding(token, true);
  return {
    at: token.start,
    message: 'Caddy makes a brace of this word when it imports the text.',
    hint: 'If it is text, put more beside the brace, or write it into the sites instead of a snippet.',
  };
}

/** A pattern may match file names, but not folders. */
const isBelow =
  (dirs: readonly string[] = []) =>
  (target: string): boolean =>
    dirs.some((dir) => target.startsWith(`${dir}/`)) &&
    !/(^|\/)\.\.?(\/|$)|[{}\ud800\ud801]/.test(target) &&
    !/[*?[\\]/.test(target.slice(0, target.lastIndexOf('/')));

type Found = { block: Block } | { block: null; finding: Finding };

const refuse = (at: number, message: string): Found => ({ block: null, finding: { at, message } });

function readBody(frame: Frame): Found {
  const { tokens, neighbour: closer } = frame;
  const { block, flaw } = readBlock(tokens, 0, vanishes, frame.options.importBlocks);
  if (flaw) {
    if (flaw.token.start === closer) {
      return refuse(closer, 'The backslash at the end of this line escapes the closing brace.');
    }
    if (flaw.kind !== 'unclosed') return { block: null, finding: explain(flaw) };
    const quote = openQuote(frame);
    if (quote) return { block: null, finding: quote };
    return { block: null, finding: explain({ ...flaw, token: flaw.closed ?? flaw.token }) };
  }
  const end = tokens[block.close]?.start ?? closer;
  if (end === closer) return { block };
  return refuse(end, 'This } closes the site block, because it has no matching {.');
}

function readSite(frame: Frame): Found {
  const { tokens, from, neighbour } = frame;
  const first = tokens[0];
  if (!first || first.start >= neighbour) return refuse(from, 'A site block is missing here.');
  const { block, flaw } = readBlock(tokens, 0, vanishes, frame.options.importBlocks);
  if (flaw) {
    return { block: null, finding: explainOpen(frame, flaw) };
  }
  const close = tokens[block.close];
  const next = tokens[block.close + 1];
  if (!close || close.start >= neighbour) return refuse(first.start, NO_BLOCK);
  if (next?.start !== neighbour) {
    const quote = openQuote(frame);
    if (quote) return { block: null, finding: quote };
    return refuse(next?.start ?? neighbour, 'Nothing may follow the } that closes the site block.');
  }
  const special = block.keys.find(({ text }) => /^&?\(/.test(text));
  if (special) return refuse(special.start, 'Snippets and named routes belong in the preamble.');
  if (block.keys.length === 0) return refuse(first.start, 'The site block has no address.');
  return { block };
}

const NO_BLOCK = 'This address is not followed by a block.';

/** Blames the quote that the text ends in if that is why nothing closes, otherwise the flaw. */
export function explainOpen(frame: Frame, flaw: Flaw): Finding {
  const open = flaw.kind === 'unclosed' || flaw.kind === 'no-block';
  return (open ? openQuote(frame) : null) ?? explain(flaw);
}

function explain({ kind, token }: Flaw): Finding {
  return { at: token.start, message: SENTENCES[kind] };
}

const SENTENCES: Record<Flaw['kind'], string> = {
  'no-block': NO_BLOCK,
  unclosed: 'The block that this { opens is never closed.',
  'bare-brace': 'There is no directive before this {.',
  'stray-close': 'This } has no matching {, or is not on its own line.',
  'import-address': 'A list of addresses cannot contain an import.',
  'import-brace': 'A } cannot be an argument of an import.',
  'import-block': 'An import cannot have a block.',
  'import-line': 'In the block of an import, a brace must be the last word of its line.',
  'too-deep': `Blocks can be nested at most ${MAX_DEPTH} deep.`,
  address: 'Separate addresses by a comma and a space, and put a space before the {.',
};
