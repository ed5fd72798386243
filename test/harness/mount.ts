/** Small file systems for tests of full disks; needs root, and a container that allows mounts. */
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './stack.ts';

const run = (...args: string[]) => Bun.spawnSync(args, { stderr: 'ignore' }).exitCode === 0;

/** @param options as tmpfs takes them, `size=1m` or `size=1m,nr_inodes=40` @returns whether it worked */
export function mountSmall(folder: string, options: string): boolean {
  mkdirSync(folder, { recursive: true });
  return run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
}

/** @param options to change: `ro`, `rw`, `nr_inodes=1000` */
export const remount = (folder: string, options: string): boolean =>
  run('mount', '-o', `remount,${options}`, folder);

/** Also if it is in use. */
export const unmount = (folder: string): boolean => run('umount', '-l', folder);

/** Fills the disk with a file until about `free` bytes are left. @returns a function that removes it */
export function fill(folder: string, free = 0): () => void {
  const filler = join(folder, 'filler');
  const handle = openSync(filler, 'w');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(folder);
      const rest = bavail * bsize - free;
      if (rest <= 0) break;
      writeSync(handle, Buffer.alloc(Math.min(rest, 65_536)));
    }
  } catch {
    // Full.
  }
  closeSync(handle);
  return () => rmSync(filler);
}

/** Whether this process may mount. */
export const mayMount = tryToMount();

function tryToMount(): boolean {
  const probe = temporaryFolder();
  const may = mountSmall(probe, 'size=1m');
  if (may) unmount(probe);
  rmSync(probe, { recursive: true, force: true });
  return may;
}
