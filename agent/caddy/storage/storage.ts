/** Keeps a managed Caddy's storage in a state that Caddy can start with. */
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import type { Log } from '../../../src/shared/log.ts';
import { listed } from '../../../src/shared/one-line.ts';
import type { Pace } from '../../pace.ts';
import type { Warnings } from '../../warnings.ts';
import { isStoredFilesFault } from '../words.ts';
import { visitFolders } from './held-folder.ts';
import { replacedRoots, setTornAside } from './repair.ts';
import { createStorageSync } from './sync.ts';

export type CaddyStorage = {
  /** Before Caddy starts: sets torn files aside, and removes the locks that a killed one left. Never rejects. */
  prepare(): Promise<void>;
  /**
   * After a load that failed because of stored files: sets torn ones aside. Never rejects.
   * @returns whether it is worth loading again
   */
  repairAfter(error: unknown): Promise<boolean>;
  /** Syncs what Caddy stores, from now on. */
  keepSynced(): void;
  stop(): Promise<void>;
};

type CaddyStorageDeps = {
  /** Caddy's data folder, in a folder that only the agent's user may change. */
  folder: string;
  warnings: Warnings;
  pace: Pace['storage'];
  now: () => Date;
  log: Log;
};

/** Longer than Caddy takes to write a certificate and its key. */
const SETTLE_MS = 250;
/** How many names a warning lists. */
const MOST_NAMED = 10;

export function createCaddyStorage({
  folder,
  warnings,
  pace,
  now,
  log,
}: CaddyStorageDeps): CaddyStorage {
  const damaged = new Set<string>();
  const sync = createStorageSync(folder, pace);

  async function repair(settle: number): Promise<void> {
    try {
      const aside = await setTornAside(folder, { now: now(), settle });
      for (const path of aside) {
        log('damaged file set aside', { path }, 'warn');
        if (!/^pki.*\broot\.\w+$/.test(path)) damaged.add(path);
      }
      warnings.set('storage', damagedWarning([...damaged]));
      warnings.set('authority', rootWarning(await replacedRoots(folder)));
    } catch (error) {
      log('storage not checked', { reason: messageOf(error) }, 'warn');
    }
  }

  return {
    async prepare() {
      await repair(0);
      await visitFolders(folder, ['locks'], async (held) => {
        for (const name of await readdir(held)) await unlink(join(held, name));
      }).catch((error: unknown) => {
        log('locks not removed', { reason: messageOf(error) }, 'warn');
      });
    },

    async repairAfter(error) {
      if (!(error instanceof Failure) || !isStoredFilesFault(error.detail ?? '')) return false;
      await repair(SETTLE_MS);
      return true;
    },

    keepSynced: sync.soon,
    stop: sync.stop,
  };
}

function damagedWarning(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  return `Damaged files of Caddy's storage were set aside, and Caddy creates them again: ${listed(paths, MOST_NAMED)}.`;
}

function rootWarning(authorities: readonly string[]): string | null {
  if (authorities.length === 0) return null;
  return `The root certificate of Caddy's own authority (${authorities.join(', ')}) was damaged, and Caddy has created a new one: devices have to trust it before they accept the sites again. To end this warning, delete the root's files that end in .torn and a date.`;
}
