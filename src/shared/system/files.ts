/** Reads and writes whole files, secrets among them, and finds out where a path leads. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ofFile } from '../file-errors.ts';

/**
 * Makes a folder that only its owner can enter, and closes one that exists if it is ours. Not one with
 * mode 0710, which a Caddy of its own user passes through, nor one that all users share, like /tmp.
 * @throws file system errors
 */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const isShared = (mode & 0o1000) !== 0 || folder === '/';
  if (uid !== process.getuid?.() || isShared || (mode & 0o777) === 0o710) return;
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Whether something failed only because this process, or the machine, has no descriptors left. */
export const lacksDescriptors = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** The file's text, or null if there is no file. @throws other file system errors */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw ofFile(file, error);
  }
}

/** Whether users other than its owner can read or change a file; false if there is none. */
export const isOpen = (file: string): boolean =>
  ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;

/** Whether this process can create files in a folder. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces a file with what `fill` writes to a temporary path beside it. A crash, a power cut or a full
 * disk at any moment leaves the old file or the new one, both whole. The new name itself is safe once
 * the folder is synced: `writeDurably` does that.
 * @throws file system errors, with the old file unchanged
 */
export function replaceWhole(file: string, fill: (part: string) => void): void {
  const part = `${file}.part`;
  try {
    // Left by a crash.
    rmSync(part, { force: true });
    fill(part);
    syncPath(part);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true, recursive: true });
    throw ofFile(file, error);
  }
}

/** Replaces a file with `text`, whole, safe from a power cut from now on. @throws file system errors */
export function writeDurably(file: string, text: string, mode: number): void {
  replaceWhole(file, (part) => writeFileSync(part, text, { mode, flag: 'wx' }));
  syncPath(dirname(file));
}

/** Syncs a file, or the names in a folder, so that it survives a power cut. @throws file system errors */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** `writeDurably` off the event loop. @throws file system errors, with the old file unchanged */
export async function writeDurablyLater(file: string, text: string, mode: number): Promise<void> {
  const part = `${file}.part`;
  await writeSynced(part, text, mode);
  await rename(part, file);
  await syncLater(dirname(file));
}

/** Writes and syncs a file, off the event loop. @throws file system errors */
export async function writeSynced(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'w', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `syncPath` off the event loop. @throws file system errors */
export async function syncLater(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** The SHA-256 of a file in hex, read piece by piece: a small machine may have no room for all of it. @throws file system errors */
export async function sha256Of(file: Blob): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of file.stream()) hasher.update(chunk);
  return hasher.digest('hex');
}

/** A path with its links and dots resolved, as far as it exists. */
export function resolvePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(resolvePath(folder), basename(path));
  }
}

/** Whether a path is a folder, or in it. Both are absolute and resolved. Pure. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);

type KeptSecret = {
  file: string;
  /** How many bytes of a new one are random. */
  bytes: number;
  /** How many characters one that is kept must have. */
  shortest: number;
  /** Gets the path of a file whose secret was replaced: a crash or a full disk had damaged it. */
  onReplaced: (file: string) => void;
};

/** Writes a new secret to a file. @param bytes how many are random @throws file system errors */
export function newSecret(file: string, bytes: number): string {
  const secret = randomBytes(bytes).toString('base64url');
  writeDurably(file, `${secret}\n`, 0o600);
  return secret;
}

/**
 * The secret in a file; a new one if there is no file, or if what it holds is too short or not
 * printable. A file that is replaced keeps its time: a crash does not make an old secret fresh.
 * @throws file system errors
 */
export function keepSecret({ file, bytes, shortest, onReplaced }: KeptSecret): string {
  const found = readIfThere(file)?.trim();
  if (found === undefined) return newSecret(file, bytes);
  if (found.length >= shortest && /^[\x21-\x7e]+$/.test(found)) return found;
  const { atime, mtime } = statSync(file);
  const secret = newSecret(file, bytes);
  utimesSync(file, atime, mtime);
  onReplaced(file);
  return secret;
}

/** How many copies of a file from before something replaced it are kept. */
const COPIES = 5;

/**
 * Removes the oldest copies of a file beyond the last five. Never fails: the next time tries again.
 * @param path what their names begin with; the rest of each sorts by time
 */
export function removeOldCopies(path: string): void {
  const [folder, prefix] = [dirname(path), basename(path)];
  try {
    const all = readdirSync(folder).filter((name) => name.startsWith(prefix));
    for (const name of all.toSorted().slice(0, -COPIES)) rmSync(join(folder, name));
  } catch {
    // As above.
  }
}
