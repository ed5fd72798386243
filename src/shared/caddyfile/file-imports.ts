/** Finds what a whole Caddyfile imports from files, and whether those are below the folders that the operator allows. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { findHiddenBrace } from './check.ts';
import { dialectsFor } from './dialect.ts';
import { frame } from './frame.ts';
import { type Environment, expandPlaceholders } from './placeholders.ts';
import {
  isBlockArgument,
  startsLine,
  type Token,
  type TokenizeOptions,
  tokenize,
} from './tokenizer.ts';
import { findStructuralPlaceholder } from './variants.ts';

/** An import of a file: the path or pattern, and its 1-based line. */
type FileImport = { target: string; line: number };

export type ReadingOptions = TokenizeOptions & {
  /** The proxy's variables; the text is also checked as if none were set. */
  environment?: Environment;
  /** Paths of files that nothing may import, with links resolved. */
  secrets?: readonly string[];
};

/**
 * The imports that are not of one of the Caddyfile's own snippets. It looks only at lines, whatever
 * block they are in, so it may find too many but never too few. Caddy may put the block of an import
 * at any place, so after the first one every word may begin a line.
 */
export function fileImports(text: string, options: ReadingOptions = {}): FileImport[] {
  const environments = text.includes('{$') ? [options.environment ?? {}, {}] : [{}];
  return environments.flatMap((environment) => {
    const expanded = expandPlaceholders(text, environment);
    return dialectsFor(options, [expanded]).flatMap((dialect) =>
      importsOf(tokenize(expanded, dialect)),
    );
  });
}

/** Whether a file that is imported closes each block that it opens and no other, for every Caddy. */
function isWhole(text: string, options: ReadingOptions = {}): boolean {
  const expanded = expandPlaceholders(text, options.environment);
  return dialectsFor(options, [expanded]).every((dialect) => {
    const tokens = tokenize(expanded, dialect);
    let depth = 0;
    for (const token of tokens) {
      if (token.text === '{') depth++;
      if (token.text === '}' && --depth < 0) return false;
    }
    return depth === 0 && findHiddenBrace(tokens) === null;
  });
}

function importsOf(tokens: readonly Token[]): FileImport[] {
  const snippets = snippetsOf(tokens);
  let anywhere = false;
  return tokens.flatMap((token, index) => {
    if (token.text !== 'import' || !(anywhere || begins(tokens, index))) return [];
    const next = startsLine(tokens, index + 1) ? undefined : tokens[index + 1];
    for (let at = index + 1; at < tokens.length && !startsLine(tokens, at); at++) {
      anywhere ||= tokens[at]?.text === '{';
    }
    const target = next?.text ?? '';
    return snippets.has(target) ? [] : [{ target, line: token.line }];
  });
}

/** Names the first `{$…}` whose value could change the structure of a whole Caddyfile, or null. */
export function structuralPlaceholder(text: string, options: TokenizeOptions): string | null {
  if (!text.includes('{$')) return null;
  for (const dialect of dialectsFor(options, [text])) {
    const framed = frame('', text, '\n', { ...dialect, whole: true });
    const finding = framed.frame ? findStructuralPlaceholder(framed.frame) : framed.finding;
    if (finding) return finding.message;
  }
  return null;
}

/** Names of snippets defined outside of all blocks; a name with a slash could also be a file. */
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
  startsLine(tokens, index) ||
  ['{', '}'].includes(tokens[index - 1]?.text ?? '') ||
  isBlockArgument(tokens[index - 1]);

/** How deeply imports in imported files are followed. */
const DEEPEST = 10;

/**
 * Whether every file that `target` matches is below one of `dirs`, with links and dots resolved, and
 * imports no other files itself, and whether its braces match. False if a file cannot be read.
 * @param dirs absolute paths
 * @param from the folder that relative paths start from; null if they are not allowed
 */
export function mayImport(
  target: string,
  dirs: readonly string[],
  options: ReadingOptions,
  from: string | null = null,
  depth = 0,
): boolean {
  if (dirs.length === 0 || depth > DEEPEST || /[{}\0]/.test(target)) return false;
  const path = isAbsolute(target) || from === null ? target : join(from, target);
  // A pattern may match file names, but not folders.
  if (!isAbsolute(path) || /[*?[\\]/.test(dirname(path))) return false;
  try {
    const folder = realpathSync(dirname(path));
    return matching(folder, basename(path)).every((name) => {
      const file = realpathSync(join(folder, name));
      if (options.secrets?.includes(file)) return false;
      if (!dirs.some((dir) => file.startsWith(realpathSync(dir) + sep))) return false;
      // Reading a device never ends, and a pipe waits for someone to write.
      if (!statSync(file).isFile()) return false;
      const text = readFileSync(file, 'utf8');
      return (
        isWhole(text, options) &&
        fileImports(text, options).every((inner) =>
          mayImport(inner.target, dirs, options, folder, depth + 1),
        )
      );
    });
  } catch {
    return false;
  }
}

/** Without a pattern the name itself, even if there is no such file. */
function matching(folder: string, name: string): string[] {
  if (!/[*?[\\]/.test(name)) return [name];
  // All of them: only Caddy knows which ones the pattern matches.
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name);
}
