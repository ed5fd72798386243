/** What the parts of the program have in common, and what they do alike. */
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Running } from '../listen.ts';

/** Hears how far the first indexing of the access log is, and when it is over. */
export type Indexing = { onIndexing: (done: number, total: number) => void; over: () => void };

/** Listens already, and does its own work once it is told to begin. */
export type Prepared = Running & { begin: () => Promise<void> };

export type HubRunning = Running & {
  /** What the first sign-up needs unless it comes from this machine; null where there is an account. */
  setupCode: string | null;
  loopback: boolean;
};

/** A socket lets its holder rule the proxy: nobody else may own or enter its folder. */
export function prepareSocketFolder(socket: string): void {
  const folder = dirname(socket);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new Error(`${folder} must belong to this user alone (mode 0700)`);
  }
}
