/** Merges the global options and snippets of two preambles. Pure. */
import {
  type Edit,
  edited,
  globalOptions,
  hasGlobalOptions,
} from '../../../shared/caddyfile/globals.ts';
import { maskPlaceholders } from '../../../shared/caddyfile/placeholders.ts';
import { startsLine, type TokenizeOptions, tokenize } from '../../../shared/caddyfile/tokenizer.ts';
import { readSections } from './split.ts';

/** A global option `email`, a snippet `(name)` or a named route `&(name)`, as each side has it. */
export type PreamblePart = {
  name: string;
  /** Null if only the other side has it. */
  present: string | null;
  file: string | null;
};

export type Side = 'keep' | 'file';

/** Where a part is in a text; an option that may occur several times has several. */
type Place = { start: number; end: number };
type Places = Map<string, Place[]>;

/** Of all parts that at least one side has, those that both have and that differ. */
export const differing = (parts: readonly PreamblePart[], dialect: TokenizeOptions) =>
  parts.filter(
    ({ present, file }) => present !== null && file !== null && !sameWords(present, file, dialect),
  );

export function comparePreambles(
  present: string,
  file: string,
  dialect: TokenizeOptions,
): PreamblePart[] {
  const [ours, theirs] = [placesIn(present, dialect), placesIn(file, dialect)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((name) => ({
    name,
    present: textAt(present, ours.get(name)),
    file: textAt(file, theirs.get(name)),
  }));
}

/**
 * All of `base`, with what only `other` has added to it.
 * @param isReplaced whether a part that both have becomes that of `other`
 */
export function mergePreambles(
  base: string,
  other: string,
  isReplaced: (name: string) => boolean,
  dialect: TokenizeOptions,
): string {
  const [ours, theirs] = [placesIn(base, dialect), placesIn(other, dialect)];
  const edits: Edit[] = [];
  const added: { name: string; text: string[] }[] = [];
  for (const [name, places] of theirs) {
    const text = places.map(({ start, end }) => other.slice(start, end));
    const [first, ...more] = ours.get(name) ?? [];
    if (first === undefined) added.push({ name, text });
    else if (isReplaced(name)) {
      edits.push({ ...first, text: text.join('\n\t') });
      for (const place of more) edits.push({ ...place, text: '' });
    }
  }
  if (edits.length + added.length === 0) return base;
  const text = edited(
    base,
    edits.toSorted((a, b) => a.start - b.start),
  );
  const [shared, options] = [true, false].map((is) =>
    added.flatMap((one) => (isShared(one.name) === is ? one.text : [])),
  );
  return [withOptions(text, options ?? []), ...(shared ?? [])]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

/** Adds lines at the start of the global block, and the block if there is none. */
function withOptions(preamble: string, lines: readonly string[]): string {
  if (lines.length === 0) return preamble;
  const text = lines.map((line) => `\t${line}\n`).join('');
  if (!hasGlobalOptions(preamble)) {
    const rest = preamble.replace(/^\s*\{\s*\}/, '').trim();
    return `{\n${text}}${rest === '' ? '' : `\n\n${rest}`}`;
  }
  const brace = tokenize(preamble)[0]?.end ?? 0;
  return `${preamble.slice(0, brace)}\n${text}${preamble.slice(brace).replace(/^[ \t]*\r?\n/, '')}`;
}

const isShared = (name: string): boolean => name.endsWith(')');

const textAt = (text: string, places: readonly Place[] | undefined): string | null =>
  places?.map(({ start, end }) => text.slice(start, end)).join('\n') ?? null;

/** The parts of a preamble in its order; a snippet with the comments before it. */
function placesIn(preamble: string, dialect: TokenizeOptions): Places {
  const found: Places = new Map();
  const add = (name: string, place: Place) => {
    const places = found.get(name);
    if (places) places.push(place);
    else found.set(name, [place]);
  };
  for (const { name, start, end } of globalOptions(preamble, dialect)) add(name, { start, end });
  let from = 0;
  for (const { kind, text, keys } of readSections(preamble, dialect) ?? []) {
    const start = from + (text.length - text.trimStart().length);
    if (kind === 'shared') add(keys[0] ?? '', { start, end: from + text.trimEnd().length });
    from += text.length;
  }
  return found;
}

/** Whether two pieces have the same words, whatever their spacing and comments. */
export function sameWords(one: string, other: string, dialect: TokenizeOptions): boolean {
  if (one === other) return true;
  const [words, others] = [wordsOf(one, dialect), wordsOf(other, dialect)];
  return words.length === others.length && words.every((word, at) => word === others[at]);
}

/** Each word as it is written, after a sign for those that begin a line. */
function wordsOf(text: string, dialect: TokenizeOptions): string[] {
  const tokens = tokenize(maskPlaceholders(text).masked, dialect);
  return tokens.map(
    ({ start, end }, at) => `${startsLine(tokens, at) ? '\n' : ' '}${text.slice(start, end)}`,
  );
}
