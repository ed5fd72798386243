/**
 * Syncs what Caddy has stored. Caddy 2.6.2 leaves that to the kernel, which may take half a
 * minute: a power cut meanwhile leaves empty files.
 */
import type { FileHandle } from 'node:fs/promises';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createQueue } from '../../../src/shared/async.ts';
import { absent } from '../../logs/files/segments.ts';
import type { Pace } from '../../pace.ts';
import { ANY, inRegular, visitFolders } from './held-folder.ts';

type StorageSync = {
  /** Syncs once Caddy has had time to make the certificates of what was loaded, then again and again. */
  soon(): void;
  /** Syncs one last time. Never rejects. */
  stop(): Promise<void>;
};

/** The kernel writes what is older within 35 seconds (vm.dirty_expire_centisecs and _writeback_). */
const YOUNG_MS = 60_000;

const ISSUER = ['certificates', ANY];
const FOLDERS = [
  [],
  ['pki'],
  ['pki', 'authorities'],
  ['pki', 'authorities', ANY],
  ['acme'],
  ['acme', ANY],
  ['acme', ANY, 'users'],
  ['acme', ANY, 'users', ANY],
  ['certificates'],
  ISSUER,
];

/** @param storage Caddy's data folder */
export function createStorageSync(storage: string, pace: Pace['storage']): StorageSync {
  const enqueue = createQueue();
  let timer: Timer | undefined;
  let isStopped = false;

  const sync = () => enqueue(() => syncYoung(storage)).catch(() => undefined);

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(tick, milliseconds);
  }

  function tick(): void {
    void sync().then(() => schedule(pace.every));
  }

  return {
    soon: () => schedule(pace.soon),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await sync();
    },
  };
}

/** Syncs the files and folders that changed within the last minute. @throws file system errors */
async function syncYoung(storage: string): Promise<void> {
  for (const pattern of FOLDERS) {
    await visitFolders(storage, pattern, (held, _, folder) => syncFolder(held, folder));
  }
  // Whoever obtains a certificate holds a lock meanwhile. Thousands of sites are not looked at in vain.
  const locks = await lstat(join(storage, 'locks')).catch(absent);
  if (locks && !isYoung(locks.mtimeMs)) return;
  await visitFolders(storage, ISSUER, async (held, names) => {
    for (const site of await readdir(held)) {
      // Written last, whenever the certificate is.
      const last = await lstat(join(held, site, `${site}.json`)).catch(absent);
      if (last && isYoung(last.mtimeMs)) {
        await visitFolders(storage, [...names, site], (inner, _, folder) =>
          syncFolder(inner, folder),
        );
      }
    }
  });
}

async function syncFolder(held: string, folder: FileHandle): Promise<void> {
  for (const entry of await readdir(held, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    await inRegular(join(held, entry.name), async (file, { mtimeMs }) => {
      if (isYoung(mtimeMs)) await file.sync();
    });
  }
  if (isYoung((await folder.stat()).mtimeMs)) await folder.sync();
}

const isYoung = (mtimeMs: number): boolean => mtimeMs > Date.now() - YOUNG_MS;
