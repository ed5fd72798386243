/** Reads the files that a Caddyfile imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ReadImport } from './inline.ts';

/** All that a target names, whatever they are; null if it cannot be read. */
export const filesAt: ReadImport = (target, from) => {
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
