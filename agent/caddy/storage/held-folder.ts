/**
 * Reaches the files of Caddy's storage without following links: anyone who runs as Caddy's user may put
 * some there, and the agent may be root.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { absent } from '../../logs/files/segments.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Caddy's largest file is a chain of certificates. */
const MOST_BYTES = 1 << 20;

/**
 * Holds a folder open while it is used.
 * @param path its last part must not be a link, nor any part before it that others can replace
 * @param use gets a path of that very folder, whatever takes its place meanwhile
 * @returns undefined if there is no such folder
 * @throws file system errors
 */
async function inFolder<T>(
  path: string,
  use: (held: string, folder: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(absent);
  if (!folder) return undefined;
  try {
    return await use(`/proc/self/fd/${folder.fd}`, folder);
  } finally {
    await folder.close();
  }
}

/** Any folder, but none that was set aside. */
export const ANY = '*';

/** Enough to keep the disk busy. */
const AT_ONCE = 16;

/**
 * Visits the folders that a pattern leads to, some at once.
 * @param pattern names of folders, one inside the other, or ANY
 * @param visit gets the held folder, and the names that led to it
 * @throws file system errors
 */
export async function visitFolders(
  root: string,
  pattern: readonly string[],
  visit: (held: string, names: readonly string[], folder: FileHandle) => Promise<void>,
): Promise<void> {
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });
  const go = (path: string, names: readonly string[]): Promise<unknown> =>
    inFolder(path, async (held, folder) => {
      const next = pattern[names.length];
      if (next === undefined) return visit(held, names, folder);
      const found = next === ANY ? await foldersIn(held) : [next];
      const isLast = names.length === pattern.length - 1;
      const into = (name: string) => go(join(held, name), [...names, name]);
      await Promise.all(found.map((name) => (isLast ? limited(() => into(name)) : into(name))));
    });
  await go(root, []);
}

async function foldersIn(held: string): Promise<string[]> {
  const entries = await readdir(held, { withFileTypes: true });
  return entries.flatMap((one) => (one.isDirectory() && !TORN.test(one.name) ? one.name : []));
}

/** What was set aside, and on which day. */
export const TORN = /\.torn-\d{4}-\d\d-\d\d$/;

/**
 * Opens a regular file while it is used, to read or sync it.
 * @returns undefined if there is none, or something else has its name
 * @throws file system errors
 */
export async function inRegular<T>(
  path: string,
  use: (file: FileHandle, stat: Stats) => Promise<T>,
): Promise<T | undefined> {
  // A pipe must not keep us waiting.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error) =>
    error.code === 'ELOOP' ? undefined : absent(error),
  );
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    return stat.isFile() ? await use(file, stat) : undefined;
  } finally {
    await file.close();
  }
}

/** The bytes of a regular file. @returns undefined as `inRegular` @throws file system errors */
export const readRegular = (path: string): Promise<Buffer | undefined> =>
  inRegular(path, async (file, { size }) => {
    if (size > MOST_BYTES) throw new Error(`${path} is too large`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    return bytes.subarray(0, bytesRead);
  });
