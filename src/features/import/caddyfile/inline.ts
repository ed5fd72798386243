/** Replaces the imports of files in a Caddyfile with what is in them. */

import { onlyArgument } from '../../../hub/caddyfile/directive.ts';
import { createPauses } from '../../../shared/async.ts';
import { maskPlaceholders } from '../../../shared/caddyfile/placeholders.ts';
import { type TokenizeOptions, tokenizeInTurns } from '../../../shared/caddyfile/tokenizer.ts';

/** The files that an import names, in Caddy's order; null if the import is left to the proxy. */
export type ReadImport = (target: string, folder: string | null) => ImportedFile[] | null;
type ImportedFile = { text: string; folder: string };

/** How deep files may import each other. */
const DEEPEST = 10;

type Inlining = {
  /** What relative paths are relative to; null if it is not known. */
  folder?: string | null;
  depth?: number;
  pause?: () => Promise<void> | undefined;
};

/**
 * A Caddyfile with the files it imports in place of their imports. Imports of snippets stay, and so
 * do those of files that take arguments.
 */
export async function inlineImports(
  text: string,
  read: ReadImport,
  options: TokenizeOptions = {},
  { folder = null, depth = 0, pause = createPauses() }: Inlining = {},
): Promise<string> {
  if (depth > DEEPEST || !text.includes('import')) return text;
  const tokens = await tokenizeInTurns(maskPlaceholders(text).masked, options, pause);
  const snippets = new Set(
    tokens.flatMap(({ text: word }) => (/^\(.+\)$/.test(word) ? [word.slice(1, -1)] : [])),
  );
  let result = '';
  let kept = 0;
  for (const [index, token] of tokens.entries()) {
    const target = onlyArgument(tokens, index, 'import');
    if (!target || snippets.has(target.text)) continue;
    const files = read(target.text, folder);
    if (!files || files.some((file) => file.text.includes('{args'))) continue;
    const inner: string[] = [];
    for (const { text, folder } of files) {
      const within = { folder, depth: depth + 1, pause };
      inner.push((await inlineImports(text, read, options, within)).trimEnd());
    }
    result += text.slice(kept, token.start) + inner.join('\n');
    kept = target.end;
  }
  return result + text.slice(kept);
}
