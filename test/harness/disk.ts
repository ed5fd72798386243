/**
 * A disk whose power can be cut: an ext4 file system in a file, of which copies are taken at any
 * instant. A copy holds exactly the blocks that the kernel had written out by then, and mounting it
 * replays the journal, as a machine does after a power cut. Needs root and loop devices.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './stack.ts';

export type Disk = {
  /** Where it is mounted. */
  readonly folder: string;
  /** Copies the disk as it is at this instant. @returns the copy's file, for `mount` */
  cut(): string;
  /** Mounts a copy in place of what is mounted; it is removed when the next one is mounted. */
  mount(image: string): void;
  /** Unmounts, and removes all copies. */
  remove(): void;
};

/** Room for a box with Caddy's storage, a database and logs. */
const SIZE = '64M';
/** In memory, so that copies take a few milliseconds. */
const MEMORY = '/dev/shm';

/** Whether this machine allows what a disk needs. */
export const mayCutPower = tryDisk();

/** @throws Error if the file system cannot be made or mounted */
export function createDisk(): Disk {
  const folder = temporaryFolder();
  const images = join(MEMORY, folder.replaceAll('/', '-'));
  mkdirSync(images, { recursive: true });
  const first = join(images, 'first');
  run('truncate', '-s', SIZE, first);
  // Without the lazy initialization, which would write on its own for a while.
  run('mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', first);
  let mounted: string | null = null;
  let cuts = 0;

  function unmount(): void {
    if (mounted === null) return;
    run('umount', folder);
    rmSync(mounted);
    mounted = null;
  }

  function mount(image: string): void {
    unmount();
    run('mount', '-o', 'loop', image, folder);
    mounted = image;
  }

  mount(first);
  return {
    folder,
    mount,

    cut() {
      const copy = join(images, `cut-${cuts++}`);
      const stat = `/sys/block/${deviceOf(first)}/stat`;
      // A copy during which something was written would be of no instant.
      for (;;) {
        const before = readFileSync(stat, 'utf8');
        run('cp', '--sparse=always', first, copy);
        if (readFileSync(stat, 'utf8') === before && inFlight(before) === 0) return copy;
      }
    },

    remove() {
      unmount();
      rmSync(folder, { recursive: true, force: true });
      rmSync(images, { recursive: true, force: true });
    },
  };
}

/** Requests that the device has not finished: the ninth field, see the kernel's Documentation/block/stat. */
const inFlight = (stat: string) => Number(stat.trim().split(/\s+/)[8]);

/** The loop device of an image, as `loop0`. */
function deviceOf(image: string): string {
  const device = run('losetup', '--noheadings', '--output', 'NAME', '--associated', image);
  return device.trim().replace('/dev/', '');
}

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  return stdout.toString();
}

function tryDisk(): boolean {
  if (process.getuid?.() !== 0 || !existsSync(MEMORY)) return false;
  try {
    createDisk().remove();
    return true;
  } catch {
    return false;
  }
}
