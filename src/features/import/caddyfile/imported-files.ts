/** Reads the files that a Caddyfile imports. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ReadImport } from './inline.ts';

/** All that a target names, whatever they are; null if it cannot be read, or Caddy would refuse it. */
export const filesAt: ReadImport = (target, from) => {
  const path = isAbsolute(target) || from === null ? target : join(from, target);
  if (REFUSED.test(path)) return null;
  try {
    const files = isPattern(path) ? glob(path).filter((file) => !isFolder(file)) : [path];
    return files.map((file) => ({ text: readFileSync(file, 'utf8'), folder: dirname(file) }));
  } catch {
    return null;
  }
};

/** Caddy takes each wildcard once, and no ranges. */
const REFUSED = /\*.*\*|\?.*\?|\[.*\]/s;

const isPattern = (path: string): boolean => /[*?]/.test(path);

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** What Caddy finds by Go's `filepath.Glob`, in its order: bytewise by name. @throws file system errors */
function glob(path: string): string[] {
  const [name, folder] = [basename(path), dirname(path)];
  const folders = isPattern(folder) ? glob(folder) : [folder];
  if (!isPattern(name)) return folders.map((at) => join(at, name)).filter((at) => existsSync(at));
  const parts = [...name].map((each) => ({ '*': '.*', '?': '.' })[each] ?? RegExp.escape(each));
  const matches = new RegExp(`^${parts.join('')}$`, 'su');
  // As newer Caddys do, and 2.6 does not: they are copies that an editor left.
  const isLeftOut = (file: string) => name.startsWith('*') && file.startsWith('.');
  return folders.filter(isFolder).flatMap((at) =>
    readdirSync(at)
      .filter((file) => matches.test(file) && !isLeftOut(file))
      .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .map((file) => join(at, file)),
  );
}
