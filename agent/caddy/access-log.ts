/**
 * Prepares the folder and the files of access log and error log for Caddy, and notices that the access
 * log was removed while Caddy writes to it, or that its disk is almost full.
 */
import { chownSync, constants, mkdirSync } from 'node:fs';
import { open, readdir, readlink, stat, statfs, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/shared/async.ts';
import { every, type Repeated } from '../../src/shared/every.ts';
import type { Log } from '../../src/shared/log.ts';
import { resolvePath } from '../../src/shared/system/files.ts';
import type { Warnings } from '../warnings.ts';
import { errorLogOf } from './config/patch.ts';

type LogWatchDeps = {
  file: string;
  /** The pid of a managed Caddy that runs, or null. */
  pid: () => number | null;
  /** Makes Caddy open the file again. @returns false if it does not write to it @throws Error */
  reopen: () => Promise<boolean>;
  /** Milliseconds between two looks. */
  every: number;
  now: () => Date;
  warnings: Warnings;
  log: Log;
};

/** A file that Caddy holds open. */
type Held = { path: string; id: string; isRemoved: boolean };

/** A disk is almost full below both. */
const LOW_SHARE = 0.05;
const LOW_BYTES = 1 << 30;

export function createLogWatch(deps: LogWatchDeps): Repeated {
  const { file, warnings, log } = deps;
  /** The file that Caddy wrote to at the last look. */
  let known: string | null = null;

  /** The files that Caddy holds open; null if that cannot be known. */
  async function heldFiles(): Promise<Held[] | null> {
    const pid = deps.pid();
    if (pid === null) return null;
    const folder = `/proc/${pid}/fd`;
    const names = await readdir(folder).catch(() => null);
    if (names === null) return null;
    const real = resolvePath(file);
    const found = await Promise.all(names.map((name) => heldFile(join(folder, name), real)));
    return found.flatMap((one) => one ?? []);
  }

  async function look(): Promise<void> {
    warnings.set('log disk', await diskWarning(dirname(file)));
    const current = await stat(file).then(idOf, () => null);
    if (current !== null && current === known) return;
    const held = await heldFiles();
    const has = (id: string | null) => held?.some((one) => one.id === id) ?? false;
    const removed = held?.filter(({ isRemoved }) => isRemoved) ?? [];
    const isLost = held
      ? removed.length > 0 || (known !== null && has(known) && !has(current))
      : known !== null && current === null;
    if (isLost && (await deps.reopen())) {
      const until = deps.now().toISOString().slice(0, 16).replace('T', ' ');
      warnings.set(
        'access log',
        `The access log was removed while Caddy was writing to it: earlier requests, up to about ${until} UTC, are not in it.`,
      );
      known = null;
      // Caddy never closes them, so they would go on taking up the disk.
      for (const { path } of removed) await truncate(path, 0);
    } else if (current !== null && (held === null || has(current))) {
      known = current;
    }
  }

  return every({ pause: deps.every }, () =>
    look().catch((error: unknown) => {
      log('access log not looked at', { reason: messageOf(error) }, 'debug');
    }),
  );
}

/** @param path in /proc @param log the resolved path of the access log */
async function heldFile(path: string, log: string): Promise<Held | null> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return null;
    const isRemoved =
      found.nlink === 0 && found.size > 0 && (await readlink(path)) === `${log} (deleted)`;
    return { path, id: idOf(found), isRemoved };
  } catch {
    // Closed meanwhile.
    return null;
  }
}

const idOf = ({ dev, ino }: { dev: number; ino: number }): string => `${dev}:${ino}`;

async function diskWarning(folder: string): Promise<string | null> {
  const disk = await statfs(folder).catch(() => null);
  if (disk === null) return null;
  const share = disk.bavail / disk.blocks;
  if (share >= LOW_SHARE || disk.bavail * disk.bsize >= LOW_BYTES) return null;
  return `The disk of the access log is almost full (${Math.floor(share * 100)} % free): once it is full, requests are served but not logged.`;
}

const LF = 0x0a;

/**
 * Makes the folder of the logs if it is missing: Caddy's user may not be allowed to.
 * @param owner null: the agent's user @throws file system errors
 */
export function makeLogFolder(accessLog: string, owner: { uid: number; gid: number } | null): void {
  const isMade = mkdirSync(dirname(accessLog), { recursive: true }) !== undefined;
  if (isMade && owner) chownSync(dirname(accessLog), owner.uid, owner.gid);
}

/**
 * Ends the lines that a power cut or a crash left half-written, so that the next entries have lines of
 * their own. Only while no Caddy runs. Never rejects.
 */
export async function endLastLines(accessLog: string): Promise<void> {
  for (const file of [accessLog, errorLogOf(accessLog)]) {
    // Not there yet, or not ours to write to.
    await endLastLine(file).catch(() => undefined);
  }
}

async function endLastLine(file: string): Promise<void> {
  const { O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const log = await open(file, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await log.stat();
    if (!stat.isFile() || stat.size === 0) return;
    const { buffer } = await log.read(Buffer.alloc(1), 0, 1, stat.size - 1);
    if (buffer[0] !== LF) await log.appendFile('\n');
  } finally {
    await log.close();
  }
}
