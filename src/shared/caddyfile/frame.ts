/** Reads a text between its neighbours, as the proxy will read it. Pure. */
import { maskPlaceholders, type Placeholder } from './placeholders.ts';
import {
  MAX_ALL_WORDS,
  MAX_WORDS,
  type Token,
  type TokenizeOptions,
  tokenize,
} from './tokenizer.ts';

/** Why a text is refused: a 1-based line of that text, a sentence for a person, and how to fix it. */
export type Fault = { line: number; message: string; hint?: string };

/** A fault at a UTF-16 offset of the frame. */
export type Finding = { at: number; message: string; hint?: string };

export type FrameOptions = TokenizeOptions & {
  /** Whether the text is a Caddyfile of any length, not one config or preamble. */
  whole?: boolean;
  /** How many words are left for this and the texts after it. */
  words?: { left: number };
};

/** A text between its neighbours, read as if every placeholder were a plain word. */
export type Frame = {
  /** What precedes the text, the text, and what follows; all offsets are offsets of `masked`. */
  masked: string;
  tokens: Token[];
  placeholders: Placeholder[];
  /** Offsets of the start and end of the text, and of the neighbour's first character. */
  from: number;
  to: number;
  neighbour: number;
  options: TokenizeOptions;
};

/**
 * Caddy copies the whole text for each placeholder that it replaces: 46 s for 150,000 in a text of
 * 1 MiB.
 */
const MAX_PLACEHOLDERS = 1_000;

/**
 * Puts `text` between `before` and `after`, which begins with line ends followed by the neighbour.
 * @returns the frame, or a finding if the text has too many words or placeholders, or ends in an open one
 */
export function frame(
  before: string,
  text: string,
  after: string,
  options: FrameOptions,
): { frame: Frame; finding: null } | { frame: null; finding: Finding } {
  const from = before.length;
  const { whole = false, words } = options;
  const { masked: inner, placeholders, open } = maskPlaceholders(text);
  if (open !== null) {
    const message = 'This {$ has no closing }, so it would swallow the text after the config.';
    return { frame: null, finding: { at: from + open, message } };
  }
  const surplus = placeholders[MAX_PLACEHOLDERS];
  if (surplus && !whole) {
    const message = `There are more than ${MAX_PLACEHOLDERS} {$…} here.`;
    return { frame: null, finding: { at: from + surplus.start, message } };
  }
  const moved = placeholders.map((placeholder) => ({
    ...placeholder,
    start: placeholder.start + from,
    end: placeholder.end + from,
  }));
  const masked = before + inner + after;
  const to = from + text.length;
  const neighbour = to + after.search(/[^\n]/);
  const most = whole ? Number.POSITIVE_INFINITY : Math.min(MAX_WORDS, words?.left ?? MAX_WORDS);
  const tokens = tokenize(masked, { ...options, most: most + 1 });
  if (tokens.length > most) {
    const message =
      most < MAX_WORDS
        ? `All sites together have more than ${MAX_ALL_WORDS} words.`
        : `This is too long: more than ${MAX_WORDS} words.`;
    return { frame: null, finding: { at: tokens.at(-1)?.start ?? from, message } };
  }
  if (words) words.left -= tokens.length;
  return {
    frame: { masked, tokens, placeholders: moved, from, to, neighbour, options },
    finding: null,
  };
}

/** Turns an offset into a line; an offset outside the text gives its first or last line. */
export function toFault(text: string, before: string, finding: Finding | null): Fault | null {
  if (finding === null) return null;
  const end = Math.min(finding.at - before.length, text.trimEnd().length);
  let line = 1;
  for (let lf = text.indexOf('\n'); lf >= 0 && lf < end; lf = text.indexOf('\n', lf + 1)) line++;
  const { at: _, ...words } = finding;
  return { line, ...words };
}

/** The quote that is still open where the neighbour begins, if any. */
export function openQuote({ tokens, masked, neighbour }: Frame): Finding | null {
  const last = tokens.at(-1);
  if (!last || last.start >= neighbour || last.end <= neighbour) return null;
  const sign = masked.slice(last.start).match(/["`]|<<[^\n]*/)?.[0] ?? '"';
  return { at: last.start, message: `The text that starts here with ${sign} is never closed.` };
}
