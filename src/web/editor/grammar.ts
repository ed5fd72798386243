/** The Caddyfile for the editor: how it is coloured, and what completes it. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { DIRECTIVES, HOLDS_DIRECTIVES, INSIDE, PLACEHOLDERS } from './directives.ts';

/** What a block holds: directives, the settings of the directive named, or what nobody knows. */
type Block = 'directives' | { of: string };

/** Where in the text a reader is. */
export type Position = {
  /** From the outermost block; empty at the level of the site. */
  blocks: Block[];
  /** The first word of the current line; null before it. */
  first: string | null;
};

export type Kind =
  | 'comment'
  | 'directive'
  | 'setting'
  | 'matcher'
  | 'placeholder'
  | 'string'
  | 'address'
  | 'brace';

/** What `readWord` needs of a line; the editor's own streams have it. */
type Line = {
  sol: () => boolean;
  eatSpace: () => boolean;
  match: (pattern: RegExp) => RegExpMatchArray | null;
};

/** At the beginning of a text. */
export const startPosition = (): Position => ({ blocks: [], first: null });

const blockOf = ({ blocks }: Position): Block => blocks.at(-1) ?? 'directives';

/** The block that a `{` at the end of a line with that first word opens. */
function opened(within: Block, first: string | null): Block {
  if (first === null) return { of: 'options' };
  if (within !== 'directives') {
    return { of: within.of === 'servers' ? `servers ${first}` : first };
  }
  if (first.startsWith('@')) return { of: '@' };
  if (HOLDS_DIRECTIVES.has(first) || !Object.hasOwn(DIRECTIVES, first)) return 'directives';
  return { of: first };
}

function firstWordKind(within: Block, word: string): Kind {
  if (word.startsWith('@')) return 'matcher';
  if (within !== 'directives') return 'setting';
  return Object.hasOwn(DIRECTIVES, word) ? 'directive' : 'address';
}

/** Reads the next word of the line and moves `at` on. @returns null for spaces and plain arguments */
export function readWord(line: Line, at: Position): Kind | null {
  if (line.sol()) at.first = null;
  if (line.eatSpace()) return null;
  if (line.match(/^#.*/)) return 'comment';
  if (line.match(/^\{\s*(?=$|#)/)) {
    at.blocks.push(opened(blockOf(at), at.first));
    at.first = '{';
    return 'brace';
  }
  if (at.first === null && line.match(/^\}/)) {
    at.blocks.pop();
    at.first = '}';
    return 'brace';
  }
  if (line.match(/^("(\\.|[^"\\])*"?|`[^`]*`?)/)) {
    at.first ??= '"';
    return 'string';
  }
  if (at.first !== null) {
    if (line.match(/^\{[^\s{}]+\}/)) return 'placeholder';
    if (line.match(/^@[^\s{}]+/)) return 'matcher';
    line.match(/^([^\s{]+|.)/);
    return null;
  }
  const word = line.match(/^\S+/)?.[0] ?? '';
  at.first = word;
  return word.startsWith('{') ? 'placeholder' : firstWordKind(blockOf(at), word);
}

/** Where a reader is after a text of whole lines. */
export function positionAfter(text: string): Position {
  const at = startPosition();
  for (const line of text.split('\n')) {
    let rest = line;
    const take = (pattern: RegExp) => {
      const found = pattern.exec(rest);
      if (found) rest = rest.slice(found[0].length);
      return found;
    };
    const words: Line = {
      sol: () => rest === line,
      eatSpace: () => take(/^\s+/) !== null,
      match: take,
    };
    while (rest !== '') readWord(words, at);
  }
  at.first = null;
  return at;
}

/** The names of the matchers that a text defines, such as `@lan`. */
export const matchersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/^[ \t]*(@[^\s{}]+)/gm)].flatMap(([, name]) => name ?? [])),
];

/** The names of the snippets that a preamble defines. */
export const snippetsIn = (text: string): string[] =>
  [...text.matchAll(/^\(([^\s()]+)\)/gm)].flatMap(([, name]) => name ?? []);

type Offer = Pick<CompletionResult, 'from' | 'options' | 'validFor'>;

const described = (texts: Readonly<Record<string, string>>): Completion[] =>
  Object.entries(texts).map(([label, detail]) => ({ label, detail }));
const named = (labels: readonly string[]): Completion[] => labels.map((label) => ({ label }));

const ALL_DIRECTIVES = described(DIRECTIVES);
const ALL_PLACEHOLDERS = described(PLACEHOLDERS);

const startsOf = (block: Block): Completion[] =>
  block === 'directives' ? ALL_DIRECTIVES : named(INSIDE[block.of] ?? []);

/**
 * What can stand at the cursor.
 * @param preamble reads the preamble, for the names of its snippets
 * @returns a function whose answer is null if nothing is known, or nothing was typed and nothing asked
 */
export const completions =
  (preamble: () => Promise<string>) =>
  async (context: CompletionContext): Promise<Offer | null> => {
    const { from, text } = context.state.doc.lineAt(context.pos);
    const before = text.slice(0, context.pos - from);
    if (/(^|\s)#/.test(before)) return null;
    const offer = (typed: string, options: Completion[]): Offer | null =>
      options.length === 0
        ? null
        : { from: context.pos - typed.length, options, validFor: /^[^\s}]*$/ };

    const [placeholder] = /\{[^\s{}]*$/.exec(before) ?? [];
    if (placeholder !== undefined) {
      // A brace at the end of a line opens a block.
      const isBlock = placeholder === '{' && text.trim().endsWith('{') && !context.explicit;
      return isBlock ? null : offer(placeholder, ALL_PLACEHOLDERS);
    }
    const [word] = /\S*$/.exec(before) ?? [''];
    const [first = ''] = before.trimStart().split(/\s+/);
    if (before.trim() === word) {
      if (word.startsWith('@') || (word === '' && !context.explicit)) return null;
      return offer(
        word,
        startsOf(positionAfter(context.state.sliceDoc(0, from)).blocks.at(-1) ?? 'directives'),
      );
    }
    if (first === 'import') return offer(word, named(snippetsIn(await preamble())));
    return word.startsWith('@')
      ? offer(word, named(matchersIn(context.state.doc.toString())))
      : null;
  };
