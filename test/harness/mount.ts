/** Small file systems for tests of full disks; needs root, and a container that allows mounts. */
import { mkdirSync, rmSync } from 'node:fs';
import { temporaryFolder } from './stack.ts';

const run = (...args: string[]) => Bun.spawnSync(args, { stderr: 'ignore' }).exitCode === 0;

/** @param size as tmpfs takes it, `1m` @returns whether it worked */
export function mountSmall(folder: string, size: string): boolean {
  mkdirSync(folder, { recursive: true });
  return run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder);
}

/** Makes the paths below a folder read-only, but not what is open. @returns whether it worked */
export const mountReadOnly = (folder: string): boolean =>
  run('mount', '--bind', folder, folder) && run('mount', '-o', 'remount,bind,ro', folder);

export const unmount = (folder: string): boolean => run('umount', folder);

/** Whether this process may mount. */
export const mayMount = tryToMount();

function tryToMount(): boolean {
  const probe = temporaryFolder();
  const may = mountSmall(probe, '1m');
  if (may) run('umount', probe);
  rmSync(probe, { recursive: true, force: true });
  return may;
}

/** Mounts a file as an ext4 file system, in the state that it has on the disk. @returns whether it worked */
export function mountImage(image: string, folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  // Nothing is written but what is synced.
  return run('mount', '-t', 'ext4', '-o', 'loop,commit=3000', image, folder);
}

/** @returns whether this machine makes them */
export function makeImage(image: string, size: string): boolean {
  return run('truncate', '-s', size, image) && run('mkfs.ext4', '-q', image);
}
