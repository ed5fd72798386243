/** Databases that cannot be used as they are, and files that change while they are open. */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnusable } from '../../../src/hub/db/fault.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { vhosts } from '../../../src/hub/db/schema.ts';
import { layDatabase } from '../../harness/filled-db.ts';
import { mayMount, mountSmall } from '../../harness/mount.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const ports = { http: 8080, https: 8443 };
const folder = temporaryFolder();
const mounted: string[] = [];
afterAll(() => {
  for (const path of mounted) Bun.spawnSync(['umount', '-l', path]);
  rmSync(folder, { recursive: true, force: true });
});

const fileIn = (dataDir: string) => join(dataDir, 'signalbox.db');
const logSize = (dataDir: string) =>
  statSync(`${fileIn(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Why a database cannot be opened; undefined if it can. */
function reasonOf(dataDir: string): string | undefined {
  try {
    openDatabase(dataDir).close();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseUnusable);
    return (error as Error).message;
  }
}

describe('a start names the file and the remedy', () => {
  test('if pages are damaged', () => {
    const dataDir = join(folder, 'damaged');
    layDatabase(dataDir, ports);
    const file = fileIn(dataDir);
    const pages = statSync(file).size / 4096;
    const handle = openSync(file, 'r+');
    for (let page = 2; page < pages; page++)
      writeSync(handle, Buffer.alloc(4096), 0, 4096, page * 4096);
    closeSync(handle);
    expect(reasonOf(dataDir)).toMatch(
      new RegExp(`^the database ${file} is damaged \\(.+\\); .*"signalbox restore"$`),
    );
  });

  test('if it is not SQLite, which is left unchanged, or a folder', () => {
    const dataDir = join(folder, 'other');
    mkdirSync(dataDir);
    writeFileSync(fileIn(dataDir), 'notes '.repeat(100));
    const reason = reasonOf(dataDir);
    expect(reason).toContain(`${fileIn(dataDir)} is damaged`);
    expect(reason).toContain('is not a SQLite database');
    expect(readFileSync(fileIn(dataDir), 'utf8')).toBe('notes '.repeat(100));
    rmSync(fileIn(dataDir));
    mkdirSync(fileIn(dataDir));
    expect(reasonOf(dataDir)).toContain(`${fileIn(dataDir)} is a folder`);
  });

  test.skipIf(!mayMount)('if the disk is full or read-only, and blames no other hub', () => {
    const dataDir = join(folder, 'disk');
    expect(mountSmall(dataDir, 'size=1m')).toBe(true);
    mounted.push(dataDir);
    const filler = join(dataDir, 'filler');
    const handle = openSync(filler, 'w');
    expect(() => {
      for (;;) writeSync(handle, Buffer.alloc(4096));
    }).toThrow('ENOSPC');
    closeSync(handle);
    expect(reasonOf(dataDir)).toContain(`the disk is full: ${fileIn(dataDir)}`);
    rmSync(filler);
    expect(reasonOf(dataDir)).toBeUndefined();
    Bun.spawnSync(['mount', '-o', 'remount,ro', dataDir]);
    expect(reasonOf(dataDir)).toContain(`${fileIn(dataDir)} cannot be written`);
  });
});

describe('the database’s file', () => {
  const oneMore = (db: ReturnType<typeof openDatabase>['db']) =>
    db
      .insert(vhosts)
      .values({
        position: 9,
        domain: 'x',
        config: '',
        upstream: '',
        enabled: true,
        createdAt: new Date(),
        updatedAt: new Date(),
      })
      .run();

  test('holds everything after the start, once nothing is written any more, and after the end', async () => {
    const dataDir = join(folder, 'log');
    const opened = openDatabase(dataDir, 20);
    expect(logSize(dataDir)).toBe(0);
    expect(statSync(fileIn(dataDir)).size).toBeGreaterThan(4096);
    oneMore(opened.db);
    expect(logSize(dataDir)).toBeGreaterThan(0);
    await until(() => logSize(dataDir) === 0, 'the log to be merged');
    oneMore(opened.db);
    opened.close();
    expect(logSize(dataDir)).toBe(0);
  });

  test('is missed when it is replaced or removed', () => {
    const dataDir = join(folder, 'replaced');
    const file = fileIn(dataDir);
    const { assertInPlace, close } = openDatabase(dataDir);
    assertInPlace();
    renameSync(file, `${file}.away`);
    const message = 'The database file was replaced; restart the hub.';
    expect(assertInPlace).toThrow(message);
    writeFileSync(file, '');
    expect(assertInPlace).toThrow(message);
    renameSync(`${file}.away`, file);
    assertInPlace();
    close();
  });
});
