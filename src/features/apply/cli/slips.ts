/** What makes a file no YAML, in plain words. Pure. */
import type { YAMLError } from 'yaml';

/** What is wrong, and where: `path` leads to it from the root. */
export type Mistake = { line: number; path: readonly string[]; words: string };

export const MAX_DEPTH = 64;
export const TOO_DEEP = `more than ${MAX_DEPTH} levels deep`;

/** What YAML does not allow in a file (5.1), and a return that ends no line. */
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|\r(?!\n)/gu;

/** What a parser says, one for each line. */
export function parserMistakes(
  errors: readonly YAMLError[],
  text: string,
  lineOf: (offset: number) => number,
): Mistake[] {
  const conflict = CONFLICT.exec(text);
  if (conflict) {
    return [{ line: lineOf(conflict.index), path: [], words: 'an unresolved merge conflict' }];
  }
  const said = new Map<number, Mistake>();
  const written = text.split('\n');
  for (const { pos, code, message } of errors) {
    const slip = slipIn(written, lineOf(pos[0]), message);
    const { line = lineOf(pos[0]), words = WORDS[code] ?? lowered(message) } = slip;
    if (!said.has(line)) said.set(line, { line, path: [], words });
  }
  return [...said.values()];
}

const WORDS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; a file has one',
  RESOURCE_EXHAUSTION: TOO_DEEP,
};

const lowered = (message: string): string =>
  message.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

const CONFLICT = /^(?:<{7}|={7}|>{7})(?=\s|$)/m;

/** What was probably meant where the parser gives up, and the line if it is another one. */
function slipIn(
  lines: readonly string[],
  line: number,
  message: string,
): { line?: number; words?: string } {
  const here = lines[line - 1] ?? '';
  if (/^ *\t/.test(here)) return { words: 'a tab is no indentation; use spaces' };
  for (const at of [line, line - 1]) {
    const [, key] = /^\s*(\*\S+):(?:\s|$)/.exec(lines[at - 1] ?? '') ?? [];
    if (key !== undefined) return { line: at, words: `put ${key} in quotes` };
  }
  if (/^Nested mappings|at node end$/.test(message)) {
    return { words: 'put the whole value in quotes' };
  }
  const isKey = /^Implicit (?:map )?keys need/.test(message);
  return isKey && /^\s*[a-z]+:\S/.test(here) ? { words: NO_SPACE } : {};
}

/** As in `upstream:127.0.0.1:80`. */
export const NO_SPACE = 'a space is missing after the colon';

/** One for each line that has such characters. */
export function unprintables(text: string): Mistake[] {
  let line = 1;
  let last = 0;
  const found = new Map<number, Mistake>();
  for (const { 0: character, index } of text.matchAll(UNPRINTABLE)) {
    line += text.slice(last, index).split('\n').length - 1;
    last = index;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const words = `the character U+${code} is not allowed here`;
    if (!found.has(line)) found.set(line, { line, path: [], words });
  }
  return [...found.values()];
}
