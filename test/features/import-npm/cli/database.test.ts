/** How NPM's database is read: consistent, whatever NPM does to it, and without a trace in its folder. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findNpm, readNpmDatabase } from '../../../../src/features/import-npm/cli/database.ts';
import { mayMount, mountReadOnly, mountSmall, unmount } from '../../../harness/mount.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';
import { asUser, mayBeNobody, NOBODY } from '../../../harness/unprivileged.ts';

let folder: string;
let file: string;
let temporary: string;
const writers: Bun.Subprocess[] = [];
const usualTmp = process.env.TMPDIR;

beforeEach(() => {
  folder = join(temporaryFolder(), 'npm');
  mkdirSync(folder);
  file = join(folder, 'database.sqlite');
  temporary = temporaryFolder();
  process.env.TMPDIR = temporary;
});
afterEach(async () => {
  if (usualTmp === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usualTmp;
  for (const writer of writers.splice(0)) {
    writer.kill('SIGKILL');
    await writer.exited;
  }
  // However it ended, no copy with NPM's keys is left.
  expect(readdirSync(temporary)).toEqual([]);
  for (const gone of [join(folder, '..'), temporary])
    rmSync(gone, { recursive: true, force: true });
});

/** Every file with its bytes and its time, and the time of the folder. */
const traces = () =>
  ['.', ...readdirSync(folder)].map((name) => {
    const path = join(folder, name);
    const found = statSync(path, { bigint: true });
    const { mtimeNs, mode, size } = found;
    return { name, mtimeNs, mode, size, bytes: found.isFile() && Bun.hash(readFileSync(path)) };
  });

/** Reads it, and makes sure that NPM's folder is as before. */
async function read(path = file): Promise<Uint8Array> {
  const before = traces();
  try {
    return await readNpmDatabase(path);
  } finally {
    expect(traces()).toEqual(before);
  }
}
const refusal = (path = file) =>
  read(path).then(
    () => null,
    ({ message }: Error) => message,
  );

/** How many rows are in what the hub would get, as one file that needs none beside it. */
function rowsIn(bytes: Uint8Array): number {
  // No WAL: the versions for reading and writing in the header.
  expect([...bytes.subarray(18, 20)]).toEqual([1, 1]);
  const sqlite = Database.deserialize(bytes);
  const { count } = sqlite.query('SELECT count(*) AS count FROM host').get() as { count: number };
  expect(sqlite.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  sqlite.close();
  return count;
}

/** A database with ten rows. */
function make(mode: 'delete' | 'wal' = 'delete') {
  const sqlite = new Database(file);
  sqlite.run(`PRAGMA journal_mode = ${mode}`);
  sqlite.run('CREATE TABLE host (text)');
  for (let at = 0; at < 10; at++) sqlite.run('INSERT INTO host VALUES (?)', ['x'.repeat(5_000)]);
  sqlite.close();
}

/** Another process that has the database open, as NPM has, and did these statements. */
async function writing(...statements: string[]): Promise<Bun.Subprocess> {
  const script = `import { Database } from 'bun:sqlite';
const sqlite = new Database(${JSON.stringify(file)});
for (const text of ${JSON.stringify(statements)}) sqlite.run(text);
console.log('ready');
// It would be closed if nothing referred to it.
setInterval(() => sqlite, 1_000);`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  writers.push(child);
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('ready\n');
  return child;
}
const kill = async (child: Bun.Subprocess) => {
  child.kill('SIGKILL');
  await child.exited;
};
const HALF = [
  'PRAGMA cache_size = 1',
  'BEGIN',
  `INSERT INTO host SELECT hex(randomblob(5000)) FROM host, host AS other`,
  "UPDATE host SET text = 'half'",
];

describe('refuses, in a sentence,', () => {
  test.each<[string, () => void, string]>([
    ['what is not there', () => {}, 'cannot be read: there is no such file or folder'],
    ['an empty file', () => writeFileSync(file, ''), 'is empty'],
    ['another file', () => writeFileSync(file, 'x'.repeat(5_000)), 'is no SQLite database'],
    ['a short file', () => writeFileSync(file, 'SQLite format 3\0'), 'is damaged'],
    [
      'a truncated database',
      () => {
        make();
        truncateSync(file, statSync(file).size - 8_192);
      },
      'is damaged',
    ],
    [
      'one that is too large for the hub',
      () => {
        make();
        truncateSync(file, 64 * 1024 * 1024 + 1);
      },
      'is larger than 64 MiB, which is more than the hub takes',
    ],
    ['a folder', () => mkdirSync(file), 'is no file'],
    ['what is no file', () => Bun.spawnSync(['mkfifo', file]), 'is no file'],
  ])('%s', async (_, prepare, reason) => {
    prepare();
    expect(await refusal()).toBe(`${file} ${reason}`);
  });

  test.skipIf(!mayBeNobody)('a file without permission', () => {
    make();
    chmodSync(file, 0o600);
    for (const open of [join(folder, '..'), folder, temporary]) chmodSync(open, 0o755);
    const script = `const { readNpmDatabase } = await import('${import.meta.dir}/../../../../src/features/import-npm/cli/database.ts');
await readNpmDatabase(${JSON.stringify(file)}).catch(({ message }) => console.log(message));`;
    const child = Bun.spawnSync([...asUser(NOBODY), process.execPath, '-e', script]);
    expect(child.stdout.toString()).toBe(`${file} cannot be read: permission denied\n`);
  });

  test.skipIf(!mayMount)('a full disk for the copy', async () => {
    make();
    expect(mountSmall(temporary, 'size=16k')).toBe(true);
    try {
      expect(await refusal()).toBe(
        `${file} cannot be copied to ${temporary}: there is no space left on the disk, or no room for another file`,
      );
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      unmount(temporary);
    }
  });

  test('a folder without a database', () => {
    const none = `${folder} has no database.sqlite`;
    expect(() => findNpm(folder)).toThrow(none);
    expect(() => findNpm(folder)).toThrow('MySQL, MariaDB or PostgreSQL');
    expect(() => findNpm(join(folder, 'nowhere'))).toThrow('there is no such file or folder');
  });
});

describe('reads, and leaves NPM’s folder as it was,', () => {
  test('a database that nobody has open', async () => {
    make();
    expect(rowsIn(await read())).toBe(10);
  });

  test('one in the middle of a change, without the change', async () => {
    make();
    const before = readFileSync(file);
    const writer = await writing(...HALF);
    // It has overwritten pages, whose former contents are in the journal.
    expect(readFileSync(file).equals(before)).toBe(false);
    expect(rowsIn(await read())).toBe(10);
    await kill(writer);
    expect(readdirSync(folder)).toContain('database.sqlite-journal');
    expect(rowsIn(await read())).toBe(10);
  });

  test('one that is locked', async () => {
    make();
    await writing('BEGIN EXCLUSIVE', "INSERT INTO host VALUES ('half')");
    expect(() => new Database(file).query('SELECT * FROM host').all()).toThrow('locked');
    expect(rowsIn(await read())).toBe(10);
  });

  test('one in WAL mode, with what is only in the WAL', async () => {
    make('wal');
    const writer = await writing(
      'PRAGMA wal_autocheckpoint = 0',
      "INSERT INTO host VALUES ('latest')",
      'BEGIN IMMEDIATE',
      "INSERT INTO host VALUES ('half')",
    );
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    expect(rowsIn(await read())).toBe(11);
    await kill(writer);
    expect(rowsIn(await read())).toBe(11);
    rmSync(`${file}-shm`);
    expect(rowsIn(await read())).toBe(11);
  });

  test('one in WAL mode that nobody has open', async () => {
    make('wal');
    expect(readdirSync(folder)).toEqual(['database.sqlite']);
    expect(rowsIn(await read())).toBe(10);
  });

  test.each(['-wal', '-journal'])('by a link, beside whose target is a %s', async (end) => {
    make(end === '-wal' ? 'wal' : 'delete');
    const statements = ['PRAGMA wal_autocheckpoint = 0', "INSERT INTO host VALUES ('latest')"];
    await kill(await writing(...(end === '-wal' ? statements : HALF)));
    expect(readdirSync(folder)).toContain(`database.sqlite${end}`);
    const link = join(folder, '..', 'database.sqlite');
    symlinkSync(file, link);
    expect(rowsIn(await read(link))).toBe(end === '-wal' ? 11 : 10);
  });

  test.skipIf(!mayMount)('one that cannot be written to', async () => {
    make('wal');
    await kill(await writing('PRAGMA wal_autocheckpoint = 0', "INSERT INTO host VALUES ('new')"));
    chmodSync(file, 0o400);
    expect(mountReadOnly(folder)).toBe(true);
    try {
      expect(() => writeFileSync(join(folder, 'x'), '')).toThrow('EROFS');
      expect(rowsIn(await read())).toBe(11);
    } finally {
      unmount(folder);
    }
  });
});

test('waits until NPM has written, and says so if it goes on writing', async () => {
  make();
  const script = `const { appendFileSync } = require('node:fs');
for (;;) appendFileSync(${JSON.stringify(`${file}-journal`)}, 'x');`;
  const writer = Bun.spawn([process.execPath, '-e', script]);
  writers.push(writer);
  await until(() => readdirSync(folder).includes('database.sqlite-journal'), 'the first write');
  // On a busy machine the writer may have no turn between two looks.
  const words = 'is being written to just now; try again';
  const refused = () =>
    readNpmDatabase(file).then(
      () => false,
      ({ message }: Error) => message.includes(words),
    );
  await until(refused, words);
  const reading = readNpmDatabase(file);
  await kill(writer);
  expect(rowsIn(await reading)).toBe(10);
});

describe('finds', () => {
  test('the database in the data folder, or in the one above it', () => {
    make();
    const above = join(folder, '..');
    symlinkSync(folder, join(above, 'data'));
    expect(findNpm(folder).file).toBe(file);
    expect(findNpm(above).file).toBe(join(above, 'data/database.sqlite'));
    expect(findNpm(file).file).toBe(file);
  });

  test('what NPM reads besides', () => {
    make();
    expect(findNpm(folder).custom).toEqual([]);
    mkdirSync(join(folder, 'nginx/custom/old.conf'), { recursive: true });
    for (const name of ['server_proxy.conf', 'http_top.conf', 'notes.txt']) {
      writeFileSync(join(folder, 'nginx/custom', name), '');
    }
    expect(findNpm(folder).custom).toEqual(['http_top.conf', 'server_proxy.conf']);
    expect(findNpm(file).custom).toEqual(['http_top.conf', 'server_proxy.conf']);
  });
});
