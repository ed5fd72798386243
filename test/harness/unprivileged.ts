/** Runs the program as this or that user. */
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './stack.ts';

/** Changing users takes root. */
export const isRoot = process.getuid?.() === 0;

/** Debian's `nobody`, an ordinary user without rights. */
export const NOBODY = 65_534;

/** What a command line starts with so that the rest runs as that user. */
export const asUser = (uid: number): string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--',
];

/** Whether that user can run Bun and the program: in `/root`, for one, only root can. */
export const mayBeNobody =
  isRoot &&
  [
    [process.execPath, '--version'],
    ['test', '-r', join(import.meta.dir, 'unprivileged.ts')],
  ].every((command) => Bun.spawnSync([...asUser(NOBODY), ...command]).exitCode === 0);
if (isRoot && !mayBeNobody) console.log('Other users cannot read this checkout: none runs tests.');

/** A folder that every user may enter, and in it one for a program of `uid`. */
export function openFolder(uid: number): { folder: string; home: string } {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o711 });
  chownSync(home, uid, uid);
  return { folder, home };
}
