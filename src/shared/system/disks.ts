/** How full the disks are that hub, agent and proxy write to. */
import { readFileSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { within } from '../async.ts';
import type { Disk } from '../wire/proxy.ts';

/** What is kept where: `what` for a person, as `the access log`. */
type Place = Readonly<{ what: string; folder: string }>;

/** A network file system that hangs keeps nobody waiting for longer, and is asked once. */
const TIMEOUT_MS = 500;

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** @returns a function that gives each disk once, as it was when it last answered; never fails */
export function createDisks(places: readonly Place[]): () => Promise<Disk[]> {
  let last: Disk[] = [];
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const found = await Promise.all(places.map(readDisk));
    const groups = Map.groupBy(
      found.flatMap((one) => one ?? []),
      ({ id }) => id,
    );
    last = [...groups].map(([id, same]) => ({
      id,
      holds: same.map(({ what }) => what),
      free: Math.min(...same.map(({ free }) => free)),
    }));
  }

  return async () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    await within(reading, TIMEOUT_MS, () => undefined);
    return last;
  };
}

/** Null for a folder that cannot be read, and for what has no size. */
async function readDisk({ what, folder }: Place) {
  try {
    const there = await existing(folder);
    const [{ dev }, { bavail, blocks }] = await Promise.all([stat(there), statfs(there)]);
    return blocks === 0 ? null : { what, id: idOf(dev), free: bavail / blocks };
  } catch {
    return null;
  }
}

/** The folder, or the nearest one above it that is there. */
async function existing(folder: string): Promise<string> {
  const isThere = await stat(folder).catch(() => null);
  return isThere || folder === dirname(folder) ? folder : existing(dirname(folder));
}

/** The same for all programs of a machine, so that they mean the same disk. */
function idOf(device: number): string {
  return new Bun.CryptoHasher('sha256').update(`${bootId()} ${device}`).digest('hex').slice(0, 32);
}

function bootId(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return '';
  }
}
