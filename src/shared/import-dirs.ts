/** Which files a proxyfile may import: those below the folders an operator has named. */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileImports, type ReadingOptions } from './caddyfile/file-imports.ts';

/** Imports in imported files are followed this far. */
const DEEPEST = 10;

/**
 * Whether every file that `target` names lies below one of `dirs`, links and dots resolved, and
 * imports nothing from elsewhere itself.
 * @param from the folder that a relative path is meant from; null where none is allowed
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
  // A pattern may stand for file names, and not for folders on the way.
  if (!isAbsolute(path) || /[*?[\\]/.test(dirname(path))) return false;
  try {
    const folder = realpathSync(dirname(path));
    return matching(folder, basename(path)).every((name) => {
      const file = realpathSync(join(folder, name));
      if (!dirs.some((dir) => file.startsWith(realpathSync(dir) + sep))) return false;
      return fileImports(readFileSync(file, 'utf8'), options).every((inner) =>
        mayImport(inner.target, dirs, options, folder, depth + 1),
      );
    });
  } catch {
    return false;
  }
}

/** Without a pattern the name itself, also where there is no such file. */
function matching(folder: string, name: string): string[] {
  if (!/[*?[\\]/.test(name)) return [name];
  // All there are: what a pattern picks out of them is Caddy's to say.
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name);
}

/** A path with its links and dots resolved, as far as it exists. */
export function resolvePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(resolvePath(folder), basename(path));
  }
}
