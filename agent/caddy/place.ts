/** Where in a Caddyfile a refusal is about, if Caddy does not say. Pure. */
import { tokenize } from '../../src/shared/caddyfile/tokenizer.ts';

const MATCHER = /^unrecognized matcher name: (@\S+)/;
const PATH = /(?<![\w/:.])\/(?:[^\s/:'",()]+\/)+[^\s/:'",()]+/g;

/** A sentence of Caddy's names one or two. */
const MOST_PATHS = 10;

/** The absolute paths in a sentence that the text itself names. */
export const pathsOf = (sentence: string, text: string): string[] =>
  sentence
    .matchAll(PATH)
    .take(MOST_PATHS)
    .toArray()
    .flatMap(([path]) => (text.includes(path) ? path : []));

/**
 * The line, from 1, of what a sentence names: a matcher that its site does not define, or a file.
 * @param sentence Caddy's words
 */
export function lineNamedIn(sentence: string, text: string): number | undefined {
  const matcher = MATCHER.exec(sentence)?.[1];
  if (matcher !== undefined) return lineOfUse(matcher, text);
  const [path] = pathsOf(sentence, text);
  if (path === undefined) return undefined;
  return tokenize(text).find((token) => token.text === path)?.line;
}

/** The first use of a matcher in a block of a site that does not define it; one that imports something may. */
function lineOfUse(name: string, text: string): number | undefined {
  type Use = { line: number; isDefined: boolean; imports: boolean };
  const tokens = tokenize(text);
  const uses: Use[] = [];
  let depth = 0;
  let use: Use | null = null;
  let isDefined = false;
  let imports = false;
  for (const [at, { text: word, quote, line }] of tokens.entries()) {
    if (quote !== '') continue;
    const isFirst = tokens[at - 1]?.line !== line;
    if (word === '{') depth++;
    if (word === '}' && isFirst) depth--;
    if (word === name && isFirst) isDefined = true;
    else if (word === name) use ??= { line, isDefined: false, imports: false };
    if (word === 'import' && isFirst) imports = true;
    if (depth > 0 || word !== '}') continue;
    if (use) uses.push({ ...use, isDefined, imports });
    [use, isDefined, imports] = [null, false, false];
  }
  if (use) uses.push({ ...use, isDefined, imports });
  const open = uses.filter((one) => !one.isDefined);
  return (open.find((one) => !one.imports) ?? open[0])?.line;
}
