import { maskPlaceholders, type Placeholder } from './placeholders.ts';
import { type Token, type TokenizeOptions, tokenize } from './tokenizer.ts';

/** Why a text is refused: a 1-based line of that very text, and a sentence for a person. */
export type Fault = { line: number; message: string };

/** A fault by its UTF-16 offset in the frame. */
export type Finding = { at: number; message: string };

/** A text as it will stand between others, read with every placeholder taken for a plain word. */
export type Frame = {
  /** What precedes, the text, what follows; of all three, offsets are those of `masked`. */
  masked: string;
  tokens: Token[];
  placeholders: Placeholder[];
  /** Offsets of the text, and of the first character of what was written for the neighbour. */
  from: number;
  to: number;
  neighbour: number;
  options: TokenizeOptions;
};

/**
 * Sets `text` between `before` and `after`; `after` begins with line ends, behind which the
 * neighbour's first character stands.
 */
export function frame(
  before: string,
  text: string,
  after: string,
  options: TokenizeOptions,
): { frame: Frame; finding: null } | { frame: null; finding: Finding } {
  const from = before.length;
  const { masked: inner, placeholders, open } = maskPlaceholders(text);
  if (open !== null) {
    const message = 'This {$ has no closing }, so it would take in the text behind the config.';
    return { frame: null, finding: { at: from + open, message } };
  }
  const moved = placeholders.map((placeholder) => ({
    ...placeholder,
    start: placeholder.start + from,
    end: placeholder.end + from,
  }));
  const masked = before + inner + after;
  const to = from + text.length;
  const neighbour = to + after.search(/[^\n]/);
  const tokens = tokenize(masked, options);
  return {
    frame: { masked, tokens, placeholders: moved, from, to, neighbour, options },
    finding: null,
  };
}

/** The line of a finding; one outside the text falls on its first or last line. */
export function toFault(text: string, before: string, finding: Finding | null): Fault | null {
  if (finding === null) return null;
  const end = Math.min(finding.at - before.length, text.trimEnd().length);
  let line = 1;
  for (let lf = text.indexOf('\n'); lf >= 0 && lf < end; lf = text.indexOf('\n', lf + 1)) line++;
  return { line, message: finding.message };
}

/** The quote that runs on into the neighbour, if one does. */
export function openQuote({ tokens, masked, neighbour }: Frame): Finding | null {
  const last = tokens.at(-1);
  if (!last || last.start >= neighbour || last.end <= neighbour) return null;
  const sign = masked.slice(last.start).match(/["`]|<<[^\n]*/)?.[0] ?? '"';
  return { at: last.start, message: `The text that ${sign} opens here is never closed.` };
}
