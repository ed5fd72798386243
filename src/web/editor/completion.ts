/** What the editor offers while one types: directives, their settings, matchers, snippets, placeholders. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { DIRECTIVES, INSIDE, PLACEHOLDERS } from './directives.ts';
import { type Block, matchersIn, positionAfter, snippetsIn } from './grammar.ts';

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
