/** Backups in `BACKUP_DIR`: when one is written, which are removed, and which disks are refused. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { digestOf, PASSING, PASSING_COLUMNS } from '../../../src/features/backups/digest.ts';
import { listBackups, readFrom } from '../../../src/features/backups/folder.ts';
import { PACE } from '../../../src/features/backups/hub.ts';
import { createBackups } from '../../../src/features/backups/keeper.ts';
import { readLabel } from '../../../src/features/backups/label.ts';
import { makeBackup } from '../../../src/features/backups/make.ts';
import { backupBeforeUpgrade } from '../../../src/features/backups/process.ts';
import { readState, writeState } from '../../../src/features/backups/state.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { lockFolder } from '../../../src/shared/system/lock.ts';
import { layDatabase } from '../../harness/filled-db.ts';
import { fill, mayMount, mountSmall, unmount } from '../../harness/mount.ts';
import { temporaryFolder } from '../../harness/stack.ts';
import { words } from '../../harness/words.ts';

const KEY = `${'k'.repeat(42)}A`;
let folder: string;
let dataDir: string;
let dir: string;
let time: number;

const make = (more: { passphrase?: string | null; keep?: number } = {}) =>
  makeBackup(
    { dir, keep: more.keep ?? 14, passphrase: more.passphrase ?? null },
    { dataDir, keyFile: join(dataDir, 'secret-key') },
    () => {
      time += 60_000;
      return new Date(time);
    },
  );
const backups = () => readdirSync(dir).filter((name) => name.endsWith('.db'));
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  );
function change(sql: string): void {
  const sqlite = new Database(join(dataDir, 'signalbox.db'));
  sqlite.run(sql);
  sqlite.close();
}

beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
  dir = join(folder, 'backups');
  time = Date.parse('2026-11-24T10:00:00.000Z');
  mkdirSync(dir);
  layDatabase(dataDir, { http: 8080, https: 8443 });
  writeFileSync(join(dataDir, 'secret-key'), `${KEY}\n`, { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a backup', () => {
  test('is not made in a folder that is not there, and does not create it', async () => {
    rmSync(dir, { recursive: true });
    expect(await reasonOf(make())).toBe(
      'BACKUP_DIR is not there: mount its disk, or create the folder',
    );
    expect(existsSync(dir)).toBe(false);
    const { failure, succeededAt } = readState(dataDir, dir);
    expect([failure?.reason, succeededAt]).toEqual([
      'BACKUP_DIR is not there: mount its disk, or create the folder',
      null,
    ]);
    mkdirSync(dir);
    await make();
    expect(readState(dataDir, dir).failure).toBeNull();
  });

  test('has a folder that the hub creates only in DATA_DIR, where no disk can be missing', async () => {
    const start = (dir: string) =>
      backupBeforeUpgrade(
        { dir, keep: 14, passphrase: null },
        { dataDir: folder, version: '1', log: () => {} },
      );
    const [own, next] = [join(folder, 'own'), `${folder}-next`];
    await start(next);
    await start(own);
    expect([existsSync(next), statSync(own).mode & 0o777]).toEqual([false, 0o700]);
  });

  test('is not made without an account, nor beside another one', async () => {
    const other = join(folder, 'other');
    openDatabase(other).close();
    const settings = { dir, keep: 1, passphrase: null };
    const from = { dataDir: other, keyFile: join(other, 'secret-key') };
    expect(await makeBackup(settings, from, () => new Date())).toEqual({ made: 'empty' });
    const release = lockFolder(dataDir, 'backup');
    expect(await reasonOf(make())).toBe('another backup is under way, or hangs with its disk');
    release();
    expect(readdirSync(dir)).toEqual([]);
    expect(readState(dataDir, dir).failure).toBeNull();
  });

  test('is whole, private, named by its time, and lists with how it has the key', async () => {
    await make();
    await make({ passphrase: 'open sesame' });
    const [sealed, clear, ...more] = await listBackups(dir);
    expect(more).toEqual([]);
    expect([sealed?.key, clear?.key]).toEqual(['sealed', 'clear']);
    expect(clear?.name).toMatch(/^signalbox-[0-9a-f]{8}-2026-11-24T10-01-00-000Z\.db$/);
    expect(clear?.madeAt.toISOString()).toBe('2026-11-24T10:01:00.000Z');
    for (const one of [sealed, clear]) {
      const file = join(dir, one?.name ?? '');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(file).size).toBe(one?.bytes ?? 0);
      expect(readFileSync(file).includes(KEY)).toBe(one?.key === 'clear');
      const sqlite = new Database(file, { readonly: true });
      expect(sqlite.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
      expect(sqlite.query('SELECT count(*) FROM vhosts').values()).toEqual([[3]]);
      sqlite.close();
    }
  });

  test('with the same contents is not written twice', async () => {
    expect((await make()).made).toBe('new');
    for (const sql of [
      'UPDATE api_tokens SET last_used_at = 5; UPDATE hub SET replaces = 1; DELETE FROM sessions',
      'DELETE FROM security_log',
      'VACUUM',
    ]) {
      change(sql);
      expect((await make()).made).toBe('same');
    }
    expect(backups().length).toBe(1);
    const before = readState(dataDir, dir).succeededAt ?? 0;
    change("UPDATE vhosts SET config = config || ' '");
    expect((await make()).made).toBe('new');
    expect(readState(dataDir, dir).succeededAt).toBeGreaterThan(before);
    for (const passphrase of ['one', 'two', null]) {
      expect((await make({ passphrase })).made).toBe('new');
      expect((await make({ passphrase })).made).toBe('same');
    }
    rmSync(join(dataDir, 'secret-key'));
    expect((await make()).made).toBe('new');
  });

  test('is written again if the newest is damaged or gone', async () => {
    await make();
    const file = join(dir, backups()[0] ?? '');
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096, 3 * 4096);
    writeFileSync(file, bytes);
    expect((await make()).made).toBe('new');
    for (const name of backups()) rmSync(join(dir, name));
    expect((await make()).made).toBe('new');
  });

  test('removes the oldest beyond the number, but nothing of others', async () => {
    const others = ['notes.db', 'signalbox-00000000-2020-01-01T00-00-00-000Z.db'];
    for (const name of others) writeFileSync(join(dir, name), 'x');
    for (let at = 0; at < 4; at++) {
      change(`UPDATE vhosts SET upstream = 'n${at}'`);
      await make({ keep: 2 });
    }
    expect(backups().toSorted()).toEqual([
      ...others,
      expect.stringContaining('T10-05-'),
      expect.stringContaining('T10-07-'),
    ]);
  });

  test('stays if it was just made, and is known again, though the clock was ahead before', async () => {
    await make();
    const [ahead = ''] = backups();
    renameSync(join(dir, ahead), join(dir, ahead.replace('2026', '2099')));
    change("UPDATE vhosts SET upstream = 'later'");
    expect((await make({ keep: 2 })).made).toBe('new');
    expect((await make({ keep: 2 })).made).toBe('same');
    expect(backups().length).toBe(2);
    change("UPDATE vhosts SET upstream = 'last'");
    expect((await make({ keep: 1 })).made).toBe('new');
    expect(backups()).toEqual([expect.stringContaining('2026-11-24T10-')]);
    const [kept] = await listBackups(dir);
    expect(kept?.madeAt.getTime()).toBe(time - 60_000);
  });

  test('writes through no link that somebody put into its folder, and waits for no pipe', async () => {
    await make();
    const [name = ''] = backups();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    const mark = join(dir, `.signalbox-${name.split('-')[1]}`);
    rmSync(mark);
    symlinkSync(victim, mark);
    renameSync(join(dir, name), victim);
    symlinkSync(victim, join(dir, name));
    const pipe = join(dir, name.replace('2026', '2025'));
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0);
    const bytes = readFileSync(victim);
    expect(await listBackups(dir)).toEqual([]);
    expect((await make({ keep: 1 })).made).toBe('new');
    expect(readFileSync(victim).equals(bytes)).toBe(true);
    expect((await listBackups(dir)).length).toBe(1);
  });

  test.skipIf(process.getuid?.() !== 0)('of root belongs to the user of the hub', async () => {
    chownSync(dataDir, 12_345, 12_345);
    await make();
    const paths = ['backup.lock', 'backups.json'].map((name) => join(dataDir, name));
    for (const path of [...paths, join(dir, backups()[0] ?? '')]) {
      expect(statSync(path).uid).toBe(12_345);
    }
    rmSync(join(dataDir, 'backup.lock'));
    symlinkSync(join(folder, 'planted'), join(dataDir, 'backup.lock'));
    expect(await reasonOf(make())).toBe('DATA_DIR cannot be locked');
    expect(existsSync(join(folder, 'planted'))).toBe(false);
  });

  test('removes what a killed one left', async () => {
    await make();
    const part = join(dir, `${backups()[0]}.0123456789ab.part`);
    const other = join(dir, 'signalbox-00000000-2020-01-01T00-00-00-000Z.db.0123456789ab.part');
    for (const path of [part, `${part}-journal`, other]) writeFileSync(path, 'x');
    await make();
    expect(readdirSync(dir).filter((name) => name.includes('.part'))).toEqual([
      expect.stringContaining('00000000'),
    ]);
  });
});

test('each table and column that passes is one', () => {
  const sqlite = new Database(join(dataDir, 'signalbox.db'));
  const tables = sqlite
    .query("SELECT name FROM sqlite_master WHERE type = 'table'")
    .values()
    .flat();
  for (const table of PASSING) if (table !== 'backup') expect(tables).toContain(table);
  for (const [table, columns] of Object.entries(PASSING_COLUMNS)) {
    const names = sqlite.query('SELECT name FROM pragma_table_info(?)').values(table).flat();
    for (const column of columns) expect(names).toContain(column);
  }
  // Each of the others counts.
  const seen = new Set([digestOf(sqlite)]);
  const counted = words('vhosts policies users api_tokens channels changelog invitations');
  sqlite.run('PRAGMA foreign_keys = OFF');
  for (const table of counted) {
    sqlite.run(`DELETE FROM ${table} WHERE rowid = (SELECT min(rowid) FROM ${table})`);
    seen.add(digestOf(sqlite));
  }
  expect(seen.size).toBe(counted.length + 1);
  expect(readLabel(sqlite)).toBeNull();
  sqlite.close();
});

const keeperOf = (makes: (signal: AbortSignal) => Promise<void>) =>
  createBackups(
    {
      dataDir,
      keyFile: join(dataDir, 'secret-key'),
      isShared: () => false,
      isEmpty: () => false,
      now: () => new Date(),
      log() {},
    },
    { dir, keep: 14, passphrase: null },
    { make: makes, list: () => listBackups(dir), read: (one) => readFrom(dir, one) },
    PACE,
  );

test('under way when the hub stops is no fault of the disk', async () => {
  const keeper = keeperOf(
    (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('killed'))),
      ),
  );
  const made = keeper.make().catch((error: unknown) => error);
  keeper.end();
  expect(await made).toMatchObject({ code: 'STOPPING', status: 503 });
  expect(keeper.state()?.failure).toBeNull();
});

test('is staged for nobody who may no longer restore it', async () => {
  await make();
  const [name = ''] = backups();
  const keeper = keeperOf(async () => {});
  const how = { passphrase: undefined, withoutKey: false };
  const assertAllowed = () => {
    throw new Failure('UNAUTHENTICATED', 'signed out meanwhile');
  };
  expect(await reasonOf(keeper.stage(name, { ...how, assertAllowed }))).toBe(
    'signed out meanwhile',
  );
  expect(readdirSync(dataDir).filter((one) => one.includes('restoring'))).toEqual([]);
  const staged = await keeper.stage(name, { ...how, assertAllowed() {} });
  expect(staged.contents.sites).toBe(3);
});

describe.if(mayMount)('a disk', () => {
  afterEach(() => unmount(dir));

  test('that is not mounted is a message, and the one below is left alone', async () => {
    expect(mountSmall(dir, 'size=8m')).toBe(true);
    expect((await make()).made).toBe('new');
    unmount(dir);
    change("UPDATE vhosts SET upstream = 'later'");
    expect(await reasonOf(make())).toStartWith('BACKUP_DIR is on another disk than at the first');
    expect(readdirSync(dir)).toEqual([]);
    // Deliberately, it may be.
    rmSync(join(dataDir, 'backups.json'));
    expect((await make()).made).toBe('new');
  });

  test('that has another number after a restart of the machine is known by its mark', async () => {
    expect(mountSmall(dir, 'size=8m')).toBe(true);
    await make();
    const renumber = () => writeState(dataDir, dir, { device: -1 });
    renumber();
    expect((await make()).made).toBe('same');
    expect(readState(dataDir, dir).device).toBe(statSync(dir).dev);
    renumber();
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    expect(await reasonOf(make())).toStartWith('BACKUP_DIR is on another disk');
    expect(readdirSync(dir)).toEqual([]);
  });

  test('with too little room keeps what it has, and gets nothing', async () => {
    expect(mountSmall(dir, 'size=4m')).toBe(true);
    await make();
    const before = readdirSync(dir);
    const empty = fill(dir, 1_000_000);
    change("UPDATE vhosts SET upstream = 'later'");
    expect(await reasonOf(make({ keep: 1 }))).toStartWith('the disk of BACKUP_DIR has too little');
    expect(readdirSync(dir).filter((name) => name !== 'filler')).toEqual(before);
    empty();
    expect((await make({ keep: 1 })).made).toBe('new');
    expect(backups().length).toBe(1);
  });
});
