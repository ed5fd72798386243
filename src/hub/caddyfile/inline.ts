import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, type TokenizeOptions, tokenize } from '../../shared/caddyfile/tokenizer.ts';

/** The files that an import names, in Caddy's order; null where they are left to the proxy. */
export type ReadImport = (target: string, folder: string | null) => ImportedFile[] | null;
export type ImportedFile = { text: string; folder: string };

/** As deep as files may import each other. */
const DEEPEST = 10;

/**
 * A Caddyfile with the files it imports put in where they are imported. Snippets stay imports, and
 * so does a file that takes arguments.
 * @param folder where a relative path is meant from; null where none is known
 */
export function inlineImports(
  text: string,
  read: ReadImport,
  options: TokenizeOptions = {},
  folder: string | null = null,
  depth = 0,
): string {
  if (depth > DEEPEST || !text.includes('import')) return text;
  const { masked } = maskPlaceholders(text);
  const tokens = tokenize(masked, options);
  const snippets = new Set(
    tokens
      .filter(({ text: word }) => /^\(.+\)$/.test(word))
      .map(({ text: word }) => word.slice(1, -1)),
  );
  let result = '';
  let kept = 0;
  for (const [index, token] of tokens.entries()) {
    const target = tokens[index + 1];
    const alone =
      token.text === 'import' &&
      startsLine(tokens, index) &&
      target !== undefined &&
      !startsLine(tokens, index + 1) &&
      (tokens[index + 2] === undefined || startsLine(tokens, index + 2));
    if (!alone || snippets.has(target.text)) continue;
    const files = read(target.text, folder);
    if (!files || files.some((file) => file.text.includes('{args'))) continue;
    const inner = files.map((file) =>
      inlineImports(file.text, read, options, file.folder, depth + 1).trimEnd(),
    );
    result += text.slice(kept, token.start) + inner.join('\n');
    kept = target.end;
  }
  return result + text.slice(kept);
}
