import { frame } from './frame.ts';
import { type Environment, expandPlaceholders } from './placeholders.ts';
import { startsLine, type Token, type TokenizeOptions, tokenize } from './tokenizer.ts';
import { findStructuralPlaceholder } from './variants.ts';

/** What a whole Caddyfile reads from elsewhere. */
export type FileImport = { target: string; line: number };

export type ReadingOptions = TokenizeOptions & {
  /** What the proxy's variables hold; they are also looked at as if none was set. */
  environment?: Environment;
};

/** Whether there can be an import, or a placeholder that could become one, at all. */
export const mayReadMore = (text: string): boolean => /import|\{\$/.test(text);

/**
 * The imports of a Caddyfile that are not of one of its own snippets. Judged by lines alone,
 * whatever block they are in: rather one too many.
 */
export function fileImports(text: string, options: ReadingOptions = {}): FileImport[] {
  if (!mayReadMore(text)) return [];
  const environments = text.includes('{$') ? [options.environment ?? {}, {}] : [{}];
  return environments.flatMap((environment) => {
    const tokens = tokenize(expandPlaceholders(text, environment), options);
    const snippets = snippetsOf(tokens);
    return tokens.flatMap((token, index) => {
      if (token.text !== 'import' || !begins(tokens, index)) return [];
      const next = startsLine(tokens, index + 1) ? undefined : tokens[index + 1];
      const target = next?.text ?? '';
      return snippets.has(target) ? [] : [{ target, line: token.line }];
    });
  });
}

/** The first `{$…}` of a whole Caddyfile whose value could change its structure, as a sentence. */
export function structuralPlaceholder(text: string, options: TokenizeOptions): string | null {
  if (!text.includes('{$')) return null;
  const framed = frame('', text, '\n', options);
  return (framed.frame ? findStructuralPlaceholder(framed.frame) : framed.finding)?.message ?? null;
}

/** Names of snippets defined outside of all blocks; one with a slash could be meant as a file. */
function snippetsOf(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  let depth = 0;
  for (const [index, { text }] of tokens.entries()) {
    if (text === '{') depth++;
    else if (text === '}') depth--;
    else if (depth === 0 && startsLine(tokens, index) && tokens[index + 1]?.text === '{') {
      const name = /^\(([^/]+)\)$/.exec(text)?.[1];
      if (name !== undefined) names.add(name);
    }
  }
  return names;
}

const begins = (tokens: readonly Token[], index: number): boolean =>
  startsLine(tokens, index) || ['{', '}'].includes(tokens[index - 1]?.text ?? '');
