/** Which files a Caddyfile may import: those below the folders that the operator allows. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { fileImports, isWhole, type ReadingOptions } from './caddyfile/file-imports.ts';

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
