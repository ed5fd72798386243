/** The files that a Caddyfile's import names, where they may be read. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { mayImport } from '../../shared/import-dirs.ts';
import type { ReadImport } from '../caddyfile/inline.ts';

/** @param dirs the folders below which files may be imported */
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

/** In the order of Go's `filepath.Glob`, which Caddy uses: by name, byte for byte. */
function matching(folder: string, name: string): string[] {
  if (!/[*?[\\]/.test(name)) return [name];
  const glob = new Bun.Glob(name);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && glob.match(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
