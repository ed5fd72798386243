/** Finds the files of the access log: the live file and the rolled ones beside it. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** How the bytes of a segment are stored. */
export type Form = 'plain' | 'gzip' | 'zstd';

/** A file of the access log as it was listed; times and sizes as in `stat`. */
export type Segment = {
  path: string;
  form: Form;
  live: boolean;
  dev: number;
  ino: number;
  /** When the file was created: a new file may reuse the inode number of a deleted one. */
  born: number;
  size: number;
  mtimeMs: number;
};

/** The first one counts if a roll exists in several forms. */
const FORMS: readonly (readonly [suffix: string, form: Form])[] = [
  ['', 'plain'],
  ['.gz', 'gzip'],
  ['.zst', 'zstd'],
];

/** What Caddy puts between name and extension: the time of the roll in UTC; since 2.11, the reason. */
const ROLL = /^-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(-[a-z]+)?$/;

/**
 * The segments of a log, newest first: the live file, then the rolled ones. A roll that is being
 * compressed exists in two forms; the plain one counts because it is the complete one. If the
 * folder or its files are missing, there are no segments.
 *
 * Undefined if a file appeared or disappeared while listing: a segment that was just renamed may have
 * been missed, so the caller has to list them again.
 * @throws errors of the file system; EISDIR if the live file is a folder
 */
export async function listSegments(file: string): Promise<Segment[] | undefined> {
  const before = await namesBeside(file);
  const segments: Segment[] = [];
  const rolls = rollsOf(basename(file), before).map((roll) => {
    return { ...roll, path: join(dirname(file), roll.name) };
  });
  // All at once: a long history has hundreds, and each page lists them.
  const stats = await Promise.all(rolls.map(({ path }) => stat(path).catch(absent)));
  for (const [i, { path, form, live }] of rolls.entries()) {
    const found = stats[i];
    if (!found) return undefined;
    const { dev, ino, size, mtimeMs, birthtimeMs: born } = found;
    if (live && found.isDirectory()) throw Object.assign(new Error(path), { code: 'EISDIR', path });
    if (found.isFile()) segments.push({ path, form, live, dev, ino, born, size, mtimeMs });
  }
  const after = await namesBeside(file);
  return before.join('/') === after.join('/') ? segments : undefined;
}

type NamedSegment = Pick<Segment, 'form' | 'live'> & { name: string };

/** Picks the segments from the names in a folder, newest first. */
export function rollsOf(live: string, names: readonly string[]): NamedSegment[] {
  const extension = extname(live);
  const prefix = live.slice(0, live.length - extension.length);
  const rolls = new Map<string, NamedSegment & { time: string }>();
  for (const [suffix, form] of FORMS) {
    const ending = extension + suffix;
    for (const name of names) {
      if (!name.startsWith(prefix) || !name.endsWith(ending)) continue;
      const stem = name.slice(prefix.length, name.length - ending.length);
      const time = ROLL.exec(stem)?.[1];
      if (time && !rolls.has(stem)) rolls.set(stem, { name, form, live: false, time });
    }
  }
  const rolled = [...rolls.entries()]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([, { name, form, live }]) => ({ name, form, live }));
  return names.includes(live) ? [{ name: live, form: 'plain', live: true }, ...rolled] : rolled;
}

/** The names in the log's folder that start and end like those of segments, sorted. */
async function namesBeside(file: string): Promise<string[]> {
  const extension = extname(file);
  const prefix = basename(file, extension);
  const endings = FORMS.map(([suffix]) => extension + suffix);
  const names = (await readdir(dirname(file)).catch(absent)) ?? [];
  return names
    .filter((name) => name.startsWith(prefix) && endings.some((ending) => name.endsWith(ending)))
    .sort();
}

/** The path that a segment has in its plain form, whatever form it has now. */
export function plainPathOf({ path, form }: Pick<Segment, 'path' | 'form'>): string {
  const suffix = FORMS.find(([, each]) => each === form)?.[0] ?? '';
  return path.slice(0, path.length - suffix.length);
}

/** All paths that a segment may have, by its plain path. */
export const formsOf = (plainPath: string): string[] => FORMS.map(([suffix]) => plainPath + suffix);

/** What is written beside a rolled segment and is useless without it, by its plain path. */
export const COMPANIONS = ['.index', '.index.tmp', '.zst.tmp'] as const;

/** For `catch`: undefined if the file or folder does not exist; throws any other error. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
