import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** How the bytes of a segment are stored. */
export type Form = 'plain' | 'gzip' | 'zstd';

/** A file of the access log as it was found; times and sizes as `stat` tells them. */
export type Segment = {
  path: string;
  form: Form;
  live: boolean;
  dev: number;
  ino: number;
  /** When the file was made: a number of a file that was removed is given to another. */
  born: number;
  size: number;
  mtimeMs: number;
};

const FORMS: readonly (readonly [suffix: string, form: Form])[] = [
  ['', 'plain'],
  ['.gz', 'gzip'],
  ['.zst', 'zstd'],
];

// What Caddy puts between name and extension: the time of the roll in UTC, and since 2.11 why.
const ROLL = /^-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(-[a-z]+)?$/;

/**
 * The segments of a log, newest first: the live file, then the rolled ones beside it. A roll that
 * is being compressed stands there in two forms, of which the plain one counts while it exists,
 * because it is the one that is complete. Missing files or folder: no segments.
 *
 * Undefined when a file came or went while we looked; what was seen then may lack a segment that
 * was just renamed, so it has to be listed again.
 */
export async function listSegments(file: string): Promise<Segment[] | undefined> {
  const before = await namesBeside(file);
  const segments: Segment[] = [];
  for (const { name, form, live } of rollsOf(basename(file), before)) {
    const path = join(dirname(file), name);
    const found = await stat(path).catch(absent);
    if (!found) return undefined;
    const { dev, ino, size, mtimeMs, birthtimeMs: born } = found;
    if (found.isFile()) segments.push({ path, form, live, dev, ino, born, size, mtimeMs });
  }
  const after = await namesBeside(file);
  return before.join('/') === after.join('/') ? segments : undefined;
}

type Named = { name: string; form: Form; live: boolean };

/** Picks the segments out of the names in a folder, newest first. */
export function rollsOf(live: string, names: readonly string[]): Named[] {
  const extension = extname(live);
  const prefix = live.slice(0, live.length - extension.length);
  const rolls = new Map<string, Named & { time: string }>();
  for (const [suffix, form] of FORMS) {
    const ending = extension + suffix;
    for (const name of names) {
      if (!name.startsWith(prefix) || !name.endsWith(ending)) continue;
      const stem = name.slice(prefix.length, name.length - ending.length);
      const time = ROLL.exec(stem)?.[1];
      // The forms come in order of preference.
      if (time && !rolls.has(stem)) rolls.set(stem, { name, form, live: false, time });
    }
  }
  const rolled = [...rolls.entries()]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([, { name, form, live }]) => ({ name, form, live }));
  return names.includes(live) ? [{ name: live, form: 'plain', live: true }, ...rolled] : rolled;
}

// Sorted names of the files in the log's folder that share the beginning of its name.
async function namesBeside(file: string): Promise<string[]> {
  const name = basename(file);
  const prefix = name.slice(0, name.length - extname(name).length);
  const names = (await readdir(dirname(file)).catch(absent)) ?? [];
  return names.filter((each) => each.startsWith(prefix)).sort();
}

/** For `catch`: a file or folder that is not there is undefined, any other fault is thrown. */
export function absent(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== 'ENOENT' && fault.code !== 'ENOTDIR') throw fault;
}
