/** `BACKUP_DIR`: which files in it are backups, whether its disk is the right one and has room. */
import {
  constants,
  createReadStream,
  existsSync,
  lstatSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isSqlite } from '../../shared/sqlite.ts';
import { keyStateFrom } from './label.ts';
import type { KeyState } from './packed-key.ts';
import type { BackupState } from './state.ts';

export type Backup = Readonly<{
  /** Of the file. */
  name: string;
  madeAt: Date;
  bytes: number;
  key: KeyState;
  /** Of the schema. */
  version: number;
}>;

/** `signalbox-1f0c9e2a-2026-11-24T10-52-00-000Z.db`: the beginning of the hub's id, and the time. */
const NAME = /^signalbox-([0-9a-f]{8})-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db$/;
const PART = /\.[0-9a-f]{12}\.part(-journal)?$/;

/** @param hub the hub's id */
export const nameFor = (hub: string, at: Date): string =>
  `signalbox-${hub.slice(0, 8)}-${at.toISOString().replaceAll(/[:.]/g, '-')}.db`;

export const isOfHub = ({ name }: { name: string }, hub: string): boolean =>
  NAME.exec(name)?.[1] === hub.slice(0, 8);

/** All of them, the newest first, also those of other hubs. @throws file system errors */
export async function listBackups(dir: string): Promise<Backup[]> {
  const names = (await readdir(dir)).filter((name) => NAME.test(name));
  const found = await Promise.all(names.map((name) => readBackup(dir, name)));
  return found
    .flatMap((one) => one ?? [])
    .toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
}

/** Others may write to the folder: a link in it leads elsewhere, and a pipe would be waited for. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** @throws file system errors */
export const readFrom = (dir: string, name: string): Readable =>
  createReadStream('', { fd: openSync(join(dir, name), PLAIN) });

/** By the header alone (sqlite.org/fileformat2.html); null if it is no backup, or gone by now. */
async function readBackup(dir: string, name: string): Promise<Backup | null> {
  const [, , day, ...time] = NAME.exec(name) ?? [];
  const [hours, minutes, seconds, milliseconds] = time;
  const madeAt = new Date(`${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z`);
  try {
    const file = await open(join(dir, name), PLAIN);
    try {
      const header = Buffer.alloc(100);
      await file.read(header, 0, header.length, 0);
      const key = isSqlite(header) ? keyStateFrom(header.readUInt32BE(68)) : null;
      if (key === null || Number.isNaN(madeAt.getTime())) return null;
      const { size } = await file.stat();
      return { name, madeAt, bytes: size, key, version: header.readUInt32BE(60) };
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** Tells this disk from any other, also if it has another number after a restart of the machine. */
const markIn = (dir: string, hub: string): string => join(dir, `.signalbox-${hub.slice(0, 8)}`);

/**
 * A folder below a mount that is missing is on the disk of the system, which backups must not fill.
 * @returns its `st_dev`
 * @throws Error, for a person, if it is not there, or on another disk than at first
 */
export function assertSameDisk({ dir, device }: BackupState, hub: string): number {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (!found?.isDirectory()) {
    throw new Error('BACKUP_DIR is not there: mount its disk, or create the folder');
  }
  if (device === null || found.dev === device || existsSync(markIn(dir, hub))) return found.dev;
  throw new Error(
    'BACKUP_DIR is on another disk than at the first backup: mount the right one; if it is this one from now on, delete backups.json in DATA_DIR',
  );
}

export function markDisk(dir: string, hub: string): void {
  const mark = markIn(dir, hub);
  // Not through a link, which would empty what it leads to.
  if (lstatSync(mark, { throwIfNoEntry: false })) return;
  writeFileSync(mark, '', { mode: 0o600, flag: 'wx' });
}

/** For what else is written to that disk meanwhile. */
const SPARE_BYTES = 2 ** 20;

/**
 * @param what names the folder
 * @param bytes of the database
 * @throws Error if after the copy less than its size would be free
 */
export function assertRoom(dir: string, what: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= 2 * bytes + SPARE_BYTES) return;
  throw new Error(`the disk of ${what} has too little room: delete files, or enlarge it`);
}

/** Removes what killed backups of this hub left. Call it only while no other is under way. */
export async function removeParts(dir: string, hub: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (PART.test(name) && isOfHub({ name: name.replace(PART, '') }, hub)) {
      rmSync(join(dir, name), { force: true });
    }
  }
}

/** Removes the oldest backups of this hub beyond `keep`. @param last stays, even if the clock was set back */
export async function removeOldest(
  dir: string,
  hub: string,
  keep: number,
  last: string,
): Promise<void> {
  const all = await listBackups(dir);
  const others = all.filter((one) => isOfHub(one, hub) && one.name !== last);
  for (const { name } of others.slice(keep - 1)) rmSync(join(dir, name), { force: true });
}
