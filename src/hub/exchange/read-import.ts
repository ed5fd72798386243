/** Reads the files that a Caddyfile imports, if that is allowed. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { mayImport } from '../../shared/caddyfile/file-imports.ts';
import type { ReadImport } from '../caddyfile/inline.ts';

/**
 * Returns null for a target that may not, or cannot, be read.
 * @param dirs the folders whose files may be imported
 */
export const createReadImport =
  (dirs: readonly string[]): ReadImport =>
  (target, from) => {
    if (!mayImport(target, dirs, {}, from)) return null;
    const path = isAbsolute(target) || from === null ? target : join(from, target);
    const folder = dirname(path);
    try {
      return matching(folder, basename(path)).map((name) => ({
        text: readFileSync(join(folder, name), 'utf8'),
        folder,
      }));
    } catch {
      return null;
    }
  };

/** The matching files, in the order of Go's `filepath.Glob`, which Caddy uses: bytewise by name. */
function matching(folder: string, name: string): string[] {
  if (!/[*?[\\]/.test(name)) return [name];
  const glob = new Bun.Glob(name);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && glob.match(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
