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

/** Makes the paths below a folder read-only, but not what is open. @returns whether it worked */
export const mountReadOnly = (folder: string): boolean =>
  run('mount', '--bind', folder, folder) && run('mount', '-o', 'remount,bind,ro', folder);

/** Whether this process may mount. */
export const mayMount = tryToMount();

function tryToMount(): boolean {
  const probe = temporaryFolder();
  const may = mountSmall(probe, 'size=1m');
  if (may) unmount(probe);
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

/**
 * Mounts a disk that never answers, as a share whose server is gone: a FUSE that nobody serves. It may be read and
 * unmounted, and what waits for it may be killed.
 * @returns ends that, and what waits fails; null if this kernel has none
 */
export async function hang(folder: string): Promise<(() => void) | null> {
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const script = `exec 3<> /dev/fuse && mount -i -t fuse -o ${options} hung "$0" && echo up && cat`;
  const server = Bun.spawn(['sh', '-c', script, folder], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const { value } = await server.stdout.getReader().read();
  if (!value) return null;
  return () => {
    unmount(folder);
    server.kill('SIGKILL');
  };
}
