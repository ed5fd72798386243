// proof: program
/** `signalbox restore`: what it refuses, brings back and keeps. */
import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { giveToOwner } from '../../../../src/features/backups/replace.ts';
import { versionAfter } from '../../../../src/hub/db/migrate.ts';
import { layDatabase } from '../../../harness/filled-db.ts';
import { forFile } from '../../../harness/for-file.ts';
import { createOperator, refusal } from '../../../harness/operator.ts';
import { MAIN, type Program } from '../../../harness/program.ts';
import { ask, freePort, signUp, until } from '../../../harness/stack.ts';

// A test starts a dozen processes, and the machine may be busy.

/** The latest schema version. */
const LATEST = versionAfter();
const operator = await forFile(createOperator());
const { folder, port, run, served } = operator;
const dataDir = join(folder, 'data');
const live = join(dataDir, 'signalbox.db');
/** A backup with one site; the second one was created later. */
const file = join(folder, 'kept.db');
let program: Program;
let hub: string;
let headers: Record<string, string>;

const start = async (cwd = folder) => ({ program, hub } = await operator.start(cwd));

async function stop(): Promise<void> {
  program.child.kill('SIGTERM');
  expect((await program.exited()).code).toBe(0);
}

/** A changed copy of a database. */
function changed(from: string, script: string): string {
  const to = join(folder, `${Bun.randomUUIDv7()}.db`);
  copyFileSync(from, to);
  const sqlite = new Database(to);
  sqlite.run(script);
  sqlite.close();
  return to;
}

beforeAll(async () => {
  await start();
  ({ headers } = await signUp({ hub }));
  for (const name of ['first', 'second']) {
    const json = { domain: `http://${name}.example`, config: `respond ${name}` };
    expect((await ask(`${hub}/vhosts`, { json, headers })).status).toBe(201);
    if (name === 'first') expect((await run(['backup', file])).code).toBe(0);
  }
});

const expectRefused = async (from: string, reason: string) => {
  const before = readFileSync(live);
  const names = readdirSync(dataDir).toSorted();
  expect(await run(['restore', from])).toEqual(refusal(reason));
  expect(readFileSync(live).equals(before)).toBe(true);
  expect(readdirSync(dataDir).toSorted()).toEqual(names);
};

test('refuses while a hub runs', async () => {
  // It writes nothing meanwhile.
  program.child.kill('SIGSTOP');
  await expectRefused(file, 'another hub is using the data folder').finally(() =>
    program.child.kill('SIGCONT'),
  );
  expect(await served('first.example')).toBe('first');
});

test('refuses a database that is damaged, foreign or newer, and changes nothing', async () => {
  await stop();
  await expectRefused(join(folder, 'never-there'), 'never-there cannot be read');
  const text = join(folder, 'text');
  writeFileSync(text, 'notes '.repeat(100));
  await expectRefused(text, `${text} is not a SQLite database`);
  writeFileSync(text, '');
  await expectRefused(text, `${text} is not a signalbox database`);
  const foreign = changed(file, 'DROP TABLE preamble');
  await expectRefused(foreign, `${foreign} is not a signalbox database`);
  const newer = changed(file, 'PRAGMA user_version = 999');
  await expectRefused(
    newer,
    `${newer} has schema version 999, written by a newer version of signalbox; this version supports up to ${LATEST}`,
  );
  const older = changed(file, 'PRAGMA user_version = 1');
  await expectRefused(older, `${older} has schema version 1, which is too old`);
  const damaged = changed(file, 'PRAGMA user_version = 9');
  const bytes = readFileSync(damaged);
  bytes.fill(0x5a, 4096, 3 * 4096);
  writeFileSync(damaged, bytes);
  await expectRefused(damaged, 'is damaged');
  for (const [type, made] of [
    ['trigger', 'TRIGGER t AFTER DELETE ON sessions BEGIN DELETE FROM users; END'],
    ['view', 'VIEW v AS SELECT 1'],
  ] as const) {
    const hostile = changed(file, `CREATE ${made}`);
    await expectRefused(hostile, `${hostile} is not a plain signalbox database: it has a ${type}`);
  }
  // Whatever SQLite would compute, even to check the file.
  for (const [made, computed] of [
    ['TABLE c (x CHECK (length(x) > 0))', 'table c'],
    ['TABLE c (x, y, CHECK (x LIKE y))', 'table c'],
    ["TABLE c (x DEFAULT '--' CHECK (abs(x)))", 'table c'],
    ['TABLE c (x, y AS (hex(x)))', 'table c'],
    ['TABLE c (x DEFAULT (hex(1)))', 'table c'],
    ['VIRTUAL TABLE c USING fts5(x)', 'table c'],
    ['INDEX c ON users (lower(name))', 'index c'],
    ['INDEX c ON users (name LIKE email)', 'index c'],
    ['INDEX c ON users (name) WHERE name LIKE email', 'index c'],
  ] as const) {
    const hostile = changed(file, `CREATE ${made}`);
    await expectRefused(hostile, `signalbox database: it has a computed ${computed}`);
  }
  const half = join(folder, 'half.db');
  writeFileSync(half, readFileSync(file).subarray(0, 5 * 4096));
  await expectRefused(half, 'is damaged');
});

test('restores sites, accounts and passwords, ends sessions, and keeps the old database', async () => {
  const done = await run(['restore', file]);
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.out).toContain(`1 site, 1 account, schema version ${LATEST}`);
  const kept = /kept as (\S+)/.exec(done.out)?.[1] ?? '';
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect(statSync(live).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir).filter((name) => /restoring|-wal|-shm/.test(name))).toEqual([]);
  const old = new Database(kept, { readonly: true });
  expect(old.query('SELECT domain FROM vhosts').values()).toEqual([
    ['http://first.example'],
    ['http://second.example'],
  ]);
  old.close();

  await start();
  await until(async () => (await served('first.example')) === 'first', 'the restored site');
  await until(async () => (await served('second.example')) !== 'second', 'the later site to go');
  expect((await ask(`${hub}/vhosts`, { headers })).status).toBe(401);
  const json = { email: 'ada@example.org', password: 'a long passphrase' };
  expect((await ask(`${hub}/auth/sign-in/email`, { json })).status).toBe(200);
  await stop();

  // The one that was kept is a backup like any other.
  expect((await run(['restore', kept])).out).toContain('2 sites, 1 account');
});

test('without a file names the newest backup with anything in it, and changes nothing', async () => {
  const cwd = join(folder, 'without-file');
  const data = join(cwd, 'data');
  mkdirSync(join(data, 'backups'), { recursive: true });
  const none = await run(['restore'], { cwd });
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('there is no backup in')]);
  expect(none.err).toContain(join(data, 'backups'));
  copyFileSync(file, join(data, 'backups/older.db'));
  utimesSync(join(data, 'backups/older.db'), 1, 1);
  const newest = join(cwd, 'newer & better?.db');
  copyFileSync(file, newest);
  utimesSync(newest, 2, 2);
  writeFileSync(join(cwd, 'notes.db'), 'notes '.repeat(100));
  copyFileSync(changed(file, 'DELETE FROM vhosts; DELETE FROM users'), join(cwd, 'empty.db'));
  copyFileSync(file, join(data, 'signalbox.db'));
  const before = readdirSync(data).toSorted();
  expect(await run(['restore'], { cwd })).toEqual(
    refusal(`${newest} (1 site, 1 account, schema version ${LATEST}, 1970-`),
  );
  expect(readdirSync(data).toSorted()).toEqual(before);
  expect(readdirSync(cwd).toSorted()).toEqual(
    ['data', 'empty.db', 'newer & better?.db', 'notes.db'].toSorted(),
  );
});

test('brings back what another hub published to this proxy', async () => {
  const cwd = join(folder, 'other-hub');
  layDatabase(join(cwd, 'data'), { http: port, https: freePort() });
  await start(cwd);
  await until(async () => (await served('body.example'))?.startsWith('127.'), 'the first hub');
  await stop();
  expect((await run(['restore', file], { cwd })).code).toBe(0);
  await start(cwd);
  await until(async () => (await served('first.example')) === 'first', 'the restored site');
  const json = { domain: 'http://more.example', config: 'respond more' };
  const signIn = { email: 'ada@example.org', password: 'a long passphrase' };
  const session = await ask<{ token: string }>(`${hub}/auth/sign-in/email`, { json: signIn });
  const own = { Authorization: `Bearer ${session.body.token}` };
  expect((await ask(`${hub}/vhosts`, { json, headers: own })).status).toBe(201);
  await stop();
});

test('refuses while another program has the database open, and leaves its key', async () => {
  const other = join(folder, 'other-key');
  layDatabase(join(other, 'data'), { http: port, https: freePort() });
  writeFileSync(join(other, 'data/secret-key'), `${'k'.repeat(42)}A\n`);
  const withKey = join(other, 'with-key.db');
  expect((await run(['backup', withKey], { cwd: other })).code).toBe(0);
  const key = join(dataDir, 'secret-key');
  const sqlite = new Database(live);
  // As a hub leaves it, which has not run since the last restore.
  sqlite.run('PRAGMA journal_mode = WAL');
  sqlite.query('SELECT * FROM users').all();
  for (const present of [null, `${'z'.repeat(42)}A\n`]) {
    if (present) writeFileSync(key, present);
    expect(await run(['restore', withKey])).toEqual(
      refusal('another program has the database open'),
    );
    expect(existsSync(key) ? readFileSync(key, 'utf8') : null).toBe(present);
  }
  sqlite.close();
  rmSync(key);
  const left = readdirSync(dataDir).filter((name) => /restoring|^secret-key/.test(name));
  expect(left).toEqual([]);
});

test('works from standard input on a fresh machine, and the sites are served there', async () => {
  const fresh = join(folder, 'fresh');
  mkdirSync(fresh);
  const child = Bun.spawnSync([process.execPath, MAIN, 'restore', '-'], {
    cwd: fresh,
    stdin: readFileSync(file),
  });
  expect([child.exitCode, child.stderr.toString()]).toEqual([0, '']);
  expect(child.stdout.toString()).not.toContain('kept as');
  await start(fresh);
  await until(async () => (await served('first.example')) === 'first', 'the site');
  // The account exists: nobody else can become the owner.
  expect(program.output.out).not.toContain('sign-up');
  const { status } = await ask(`${hub}/auth/sign-up/email`, {
    json: { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' },
  });
  expect(status).toBe(403);
  await stop();
});

describe.skipIf(process.getuid?.() !== 0)('as root', () => {
  /** A working folder whose data folder belongs to the user nobody. */
  function ownedByNobody(name: string): string {
    const data = join(folder, name, 'data');
    mkdirSync(data, { recursive: true });
    chownSync(data, 65534, 65534);
    return join(folder, name);
  }

  test('leaves the files to the owner of the folder', async () => {
    const cwd = ownedByNobody('root-restores');
    const owners = () =>
      readdirSync(join(cwd, 'data')).map((name) => statSync(join(cwd, 'data', name)).uid);
    expect((await run(['restore', file], { cwd })).code).toBe(0);
    expect(owners()).toEqual([65534, 65534]);
    expect((await run(['restore', file], { cwd })).code).toBe(0);
    expect((await run(['backup', join(cwd, 'out.db')], { cwd })).code).toBe(0);
    expect(owners()).toEqual([65534, 65534, 65534]);
  });

  test('does not follow links that the owner of the folder made', async () => {
    const cwd = ownedByNobody('root-attacked');
    const target = join(folder, 'root-owned');
    symlinkSync(target, join(cwd, 'data/hub.lock'));
    expect(await run(['restore', file], { cwd })).toEqual(refusal('hub.lock is a symbolic link'));
    expect(existsSync(target)).toBe(false);

    // The link could also appear after the check.
    writeFileSync(target, '');
    giveToOwner(join(cwd, 'data/hub.lock'));
    expect(statSync(target).uid).toBe(0);
  });
});

test('includes the log that was copied with a database', async () => {
  const other = join(folder, 'with-log');
  layDatabase(other, { http: port, https: freePort() });
  const from = join(other, 'signalbox.db');
  const sqlite = new Database(from);
  sqlite.run("UPDATE vhosts SET upstream = 'late' WHERE id = 1");
  const copy = join(folder, 'late.db');
  copyFileSync(from, copy);
  copyFileSync(`${from}-wal`, `${copy}-wal`);
  sqlite.close();
  const into = join(folder, 'late');
  mkdirSync(into);
  const done = await run(['restore', copy], { cwd: into });
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.out).toContain(`schema version ${LATEST}`);
  const back = new Database(join(into, 'data/signalbox.db'), { readonly: true });
  expect(back.query('SELECT upstream FROM vhosts WHERE id = 1').values()).toEqual([['late']]);
  back.close();
  // The source is unchanged.
  expect(existsSync(`${copy}-wal`)).toBe(true);
});

test('replaces a database too damaged to open', async () => {
  const into = join(folder, 'damaged');
  mkdirSync(join(into, 'data'), { recursive: true, mode: 0o700 });
  writeFileSync(join(into, 'data/signalbox.db'), 'x'.repeat(9000));
  writeFileSync(join(into, 'data/signalbox.db-wal'), 'y'.repeat(9000));
  const done = await run(['restore', file], { cwd: into });
  expect([done.code, done.err]).toEqual([0, '']);
  const kept = /kept as (\S+)/.exec(done.out)?.[1] ?? '';
  expect(readFileSync(kept, 'utf8')).toBe('x'.repeat(9000));
  expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('y'.repeat(9000));
  expect(existsSync(join(into, 'data/signalbox.db-wal'))).toBe(false);
});
