/**
 * Reads the database of Nginx Proxy Manager, which may be running. It is never opened where it is: SQLite would
 * write files beside it, or roll it back.
 */
import { Database } from 'bun:sqlite';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../../program/cli/api/local-hub.ts';
import { fileErrorOf } from '../../../shared/file-errors.ts';
import { isSqlite } from '../../../shared/sqlite.ts';

/** The file itself, and what SQLite may keep beside it. */
const ENDS = ['', '-wal', '-journal'];

/** What the hub takes, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** A write of NPM takes milliseconds. */
const TRIES = 20;
/** Longer than the clock of file systems needs for a tick, so that two writes have different times. */
const PAUSE_MS = 50;

type Npm = {
  /** Its database. */
  file: string;
  /** The files in `nginx/custom`, which NPM reads besides. */
  custom: readonly string[];
};

/**
 * @param path of the database, of NPM's data folder, or of the folder above it
 * @throws Refused
 */
export function findNpm(path: string): Npm {
  const isFolder = tryOn(path, () => statSync(path)).isDirectory();
  const file = isFolder
    ? [join(path, 'database.sqlite'), join(path, 'data/database.sqlite')].find((one) =>
        tryOn(one, () => statSync(one, { throwIfNoEntry: false })),
      )
    : path;
  if (file === undefined) {
    throw new Refused({
      message: `${path} has no database.sqlite; if this NPM uses MySQL, MariaDB or PostgreSQL, it cannot be imported`,
    });
  }
  const custom = join(dirname(file), 'nginx/custom');
  return { file, custom: confIn(custom) };
}

function confIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .flatMap((entry) => (!entry.isDirectory() && entry.name.endsWith('.conf') ? entry.name : []))
      .sort();
  } catch {
    return [];
  }
}

/** @returns one consistent file in bytes, with what WAL or journal say @throws Refused */
export async function readNpmDatabase(file: string): Promise<Uint8Array<ArrayBuffer>> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    // SQLite keeps the others beside the target of a link.
    const real = tryOn(file, () => realpathSync(file));
    const before = stateOf(real);
    assertUsable(file, before[0]);
    await sleep(PAUSE_MS);
    const parts = ENDS.map((end) => tryOn(file, () => bytesIfThere(real + end)));
    if (Bun.deepEquals(stateOf(real), before)) return consolidated(file, parts);
  }
  throw new Refused({ message: `${file} is being written to just now; try again` });
}

type State = Record<'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs', bigint> & { isFile: boolean };

const stateOf = (real: string): (State | null)[] =>
  ENDS.map((end) => {
    const found = tryOn(real, () => statSync(real + end, { bigint: true, throwIfNoEntry: false }));
    if (!found) return null;
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    return { dev, ino, size, mtimeNs, ctimeNs, isFile: found.isFile() };
  });

/** @throws Refused */
function assertUsable(file: string, state: State | null | undefined): void {
  if (!state) return;
  if (!state.isFile) throw new Refused({ message: `${file} is no file` });
  if (state.size > LARGEST) {
    const message = `${file} is larger than 64 MiB, which is more than the hub takes`;
    throw new Refused({ message });
  }
}

function bytesIfThere(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Lets SQLite take in WAL and journal, in a private folder. @throws Refused */
function consolidated(
  file: string,
  parts: readonly (Uint8Array | null)[],
): Uint8Array<ArrayBuffer> {
  const [database] = parts;
  if (!database?.length) throw new Refused({ message: `${file} is empty` });
  if (!isSqlite(database)) {
    throw new Refused({ message: `${file} is no SQLite database` });
  }
  const copying = `copied to ${tmpdir()}`;
  const folder = tryOn(file, () => mkdtempSync(join(tmpdir(), 'signalbox-npm-')), copying);
  try {
    const copy = join(folder, 'database.sqlite');
    for (const [at, end] of ENDS.entries()) {
      const bytes = parts[at];
      if (bytes) tryOn(file, () => writeFileSync(copy + end, bytes, { mode: 0o600 }), copying);
    }
    const sqlite = new Database(copy);
    try {
      sqlite.query('SELECT count(*) FROM sqlite_schema').get();
      sqlite.run('PRAGMA journal_mode = DELETE');
    } finally {
      sqlite.close();
    }
    return readFileSync(copy);
  } catch (error) {
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? '');
    if (isDamaged) throw new Refused({ message: `${file} is damaged` });
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws Refused naming `file`, for errors of the file system */
function tryOn<T>(file: string, action: () => T, done = 'read'): T {
  try {
    return action();
  } catch (error) {
    const why = fileErrorOf({ code: (error as { code?: unknown }).code });
    if (why === null) throw error;
    throw new Refused({ message: `${file} cannot be ${done}: ${why}` });
  }
}
