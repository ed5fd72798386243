/** Where a path of the host really leads, and whether that is in a folder. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A path with its links and dots resolved, as far as it exists. */
export function resolvePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(resolvePath(folder), basename(path));
  }
}

/** Whether a path is a folder, or in it. Both are absolute and resolved. Pure. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
