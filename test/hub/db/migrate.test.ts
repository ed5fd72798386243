/** Migrations, proved by a step from the schema of today to one of a version to come. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate, versionAfter } from '../../../src/hub/db/migrate.ts';
import { openBeside, openDatabase } from '../../../src/hub/db/open.ts';
import { API_TOKEN, layDatabase, SESSION } from '../../harness/filled-db.ts';
import { folderForFile } from '../../harness/for-file.ts';
import {
  ask,
  freePort,
  type Stack,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';

const TODAY = versionAfter();
const NEXT = TODAY + 1;
/** Adds a column, and a table that is filled from another one. */
const STEP = `
ALTER TABLE vhosts ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';
CREATE TABLE domains (domain TEXT PRIMARY KEY NOT NULL);
INSERT INTO domains SELECT domain FROM vhosts;
`;
const ports = { http: 8080, https: 8443 };
const folder = folderForFile();

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const openNext = (dataDir: string) => openDatabase(dataDir, undefined, [...MIGRATIONS, STEP]);

/** The whole contents of a database, read without knowing its schema. */
function everythingIn(file: string) {
  const sqlite = new Database(file, { readonly: true });
  const tables = sqlite.query('SELECT name, sql FROM sqlite_master ORDER BY name').all() as {
    name: string;
    sql: string | null;
  }[];
  const rows = tables
    .filter(({ sql }) => sql?.startsWith('CREATE TABLE'))
    .map(({ name }) => ({ name, rows: sqlite.query(`SELECT * FROM ${name}`).all() as object[] }));
  const version = sqlite.query('PRAGMA user_version').get();
  sqlite.close();
  return { tables, rows, version };
}

describe('a database', () => {
  test('from a newer version is refused, naming both versions, with not a byte written', () => {
    const dataDir = join(folder, 'newer');
    layDatabase(dataDir, ports);
    openNext(dataDir).close();
    const file = join(dataDir, 'signalbox.db');
    const names = readdirSync(dataDir).toSorted();
    const before = { bytes: readFileSync(file), mode: statSync(file).mode };
    expect(() => openDatabase(dataDir)).toThrow(
      `the database has schema version ${NEXT}, written by a newer version of signalbox; this version supports up to ${TODAY}`,
    );
    expect(readFileSync(file).equals(before.bytes)).toBe(true);
    expect(statSync(file).mode).toBe(before.mode);
    expect(readdirSync(dataDir).toSorted()).toEqual(names);
    expect(names).toEqual(['hub.lock', 'signalbox.db', `signalbox.db.before-v${NEXT}`]);
  });

  test.each([1, versionAfter([])])(
    'of schema version %d is refused, with what to do and not a byte written',
    (version) => {
      const dataDir = join(folder, `older-${version}`);
      layDatabase(dataDir, ports);
      const file = join(dataDir, 'signalbox.db');
      const sqlite = new Database(file);
      sqlite.run(`PRAGMA user_version = ${version}`);
      sqlite.close();
      const before = readFileSync(file);
      for (const open of [openDatabase, openBeside]) {
        expect(() => open(dataDir)).toThrow(
          `the database has schema version ${version}, which is too old for this version of signalbox: install the version before it, and start that once with this database`,
        );
      }
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  test('is migrated, and what killed attempts left behind is removed', () => {
    const dataDir = join(folder, 'left-behind');
    layDatabase(dataDir, ports);
    const kept = `signalbox.db.before-v${NEXT}`;
    const others = [`${kept}.mine.part`, `signalbox.db.${'0'.repeat(12)}.part`];
    const left = ['.part', '.part-journal'].map((end) => `${kept}.0123456789ab${end}`);
    for (const name of [...others, ...left]) writeFileSync(join(dataDir, name), 'half');
    openNext(dataDir).close();
    const names = readdirSync(dataDir);
    expect(names).toEqual(expect.arrayContaining([...others, kept]));
    expect(names.filter((name) => left.includes(name))).toEqual([]);
  });

  test('that cannot be copied first is not migrated', () => {
    const dataDir = join(folder, 'no-copy');
    layDatabase(dataDir, ports);
    const file = join(dataDir, 'signalbox.db');
    const before = everythingIn(file);
    // A file cannot replace a folder of that name.
    Bun.spawnSync(['mkdir', '-p', join(`${file}.before-v${NEXT}`, 'taken')]);
    expect(() => openNext(dataDir)).toThrow('cannot copy it first');
    expect(everythingIn(file)).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('is unchanged if the migration fails, and the copy is named', () => {
    const dataDir = join(folder, 'failing');
    layDatabase(dataDir, ports);
    const file = join(dataDir, 'signalbox.db');
    const before = everythingIn(file);
    const sqlite = new Database(file);
    const scripts = [...MIGRATIONS, 'DROP TABLE users; DROP TABLE never_there'];
    expect(() => migrate(sqlite, file, scripts)).toThrow(
      `cannot migrate the database from schema version ${TODAY} to ${NEXT} (unchanged; copy in ${file}.before-v${NEXT}): no such table: never_there`,
    );
    sqlite.close();
    expect(everythingIn(file)).toEqual(before);
    expect(everythingIn(`${file}.before-v${NEXT}`)).toEqual(before);
    expect(statSync(`${file}.before-v${NEXT}`).mode & 0o777).toBe(0o600);
  });

  test('survives a kill in the middle of a migration', async () => {
    const dataDir = join(folder, 'killed');
    layDatabase(dataDir, ports);
    const file = join(dataDir, 'signalbox.db');
    const before = everythingIn(file);
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, '../../harness/stuck-migration.ts'), file],
      { stdout: 'pipe', stderr: 'inherit' },
    );
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('halfway\n');
    child.kill('SIGKILL');
    await child.exited;
    openDatabase(dataDir).close();
    expect(everythingIn(file)).toEqual(before);
  });
});

describe('from one schema to the next', () => {
  test('all data is kept, and the old database beside it, which the old version can use again', () => {
    const dataDir = join(folder, 'next');
    layDatabase(dataDir, ports);
    const file = join(dataDir, 'signalbox.db');
    const copy = `${file}.before-v${NEXT}`;
    const old = everythingIn(file);
    expect(old.rows.filter(({ rows }) => rows.length === 0)).toEqual([]);
    openDatabase(dataDir).close();
    expect(existsSync(copy)).toBe(false);

    openNext(dataDir).close();
    expect(everythingIn(copy)).toEqual(old);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const { rows, version } = everythingIn(file);
    expect(version).toEqual({ user_version: NEXT });
    const names = ['http://body.example', 'http://block.example', 'http://off.example'];
    expect(rows.find(({ name }) => name === 'domains')?.rows).toEqual(
      names.map((domain) => ({ domain })),
    );
    expect(rows.filter(({ name }) => name !== 'domains')).toEqual(
      old.rows.map(({ name, rows }) => ({
        name,
        rows: name === 'vhosts' ? rows.map((row) => ({ ...row, colour: 'red' })) : rows,
      })),
    );
    // Once more changes nothing, and makes no other copy.
    openNext(dataDir).close();
    expect(everythingIn(copy)).toEqual(old);

    copyFileSync(copy, file);
    openDatabase(dataDir).close();
    expect(everythingIn(file)).toEqual(old);
  });
});

describe('from start to start', () => {
  test('a hub keeps all its data', async () => {
    const own = { http: freePort(), https: freePort() };
    const home = temporaryFolder();
    const dataDir = join(home, 'data');
    layDatabase(dataDir, own);
    stack = await startStack({ PROXY_HTTP_PORT: String(own.http) }, home);

    const { hub } = stack;
    const signIn = (email: string, password: string) =>
      ask<{ token: string }>(`${hub}/auth/sign-in/email`, { json: { email, password } });
    expect((await signIn('bob@example.org', 'a long passphrase')).status).toBe(401);
    expect((await signIn('bob@example.org', 'another passphrase')).status).toBe(200);
    const signedIn = await signIn('ada@example.org', 'a long passphrase');
    expect(signedIn.status).toBe(200);

    for (const secret of [SESSION, signedIn.body.token, API_TOKEN]) {
      const headers = { Authorization: `Bearer ${secret}` };
      const vhosts = await ask<Record<string, unknown>[]>(`${hub}/vhosts`, { headers });
      expect([vhosts.status, vhosts.body]).toEqual([
        200,
        [
          expect.objectContaining({
            id: 2,
            domain: 'http://block.example',
            config:
              'http://block.example, http://www.block.example {\n\t# it\'s a "comment"; ünïcode\n\trespond "block, changed"\n}',
            enabled: true,
          }),
          expect.objectContaining({
            id: 1,
            domain: 'http://body.example',
            config: 'respond "{upstream}"',
            upstream: '127.0.0.1:8001',
            policies: ['secret'],
            tags: ['media', 'home'],
          }),
          expect.objectContaining({ id: 3, domain: 'http://off.example', enabled: false }),
        ],
      ]);
    }

    const headers = { Authorization: `Bearer ${SESSION}` };
    type Named = { id: number; action: string; domain: string; userName: string };
    type Entry = Named & { diff: string; enabled: boolean | null };
    const entries = (await ask<Entry[]>(`${hub}/changelog`, { headers })).body.toReversed();
    expect(
      entries.slice(0, 7).map(({ id, action, domain }) => `${id} ${action} ${domain}`),
    ).toEqual([
      '1 create http://body.example',
      '2 create http://block.example',
      '3 create http://off.example',
      '4 toggle http://off.example',
      '5 update http://block.example',
      '6 create http://gone.example',
      '7 delete http://gone.example',
    ]);
    expect(entries.every(({ userName }) => userName === 'Ada')).toBe(true);
    expect(entries[3]?.enabled).toBe(false);
    expect(JSON.parse(entries[4]?.diff ?? '').new.config).toContain('block, changed');

    const policies = await ask<{ id: number; name: string }[]>(`${hub}/policies`, { headers });
    expect(policies.body.map(({ id, name }) => [id, name])).toEqual([
      [2, 'closed'],
      [1, 'secret'],
    ]);

    const served = async (host: string) =>
      (await ask(`http://127.0.0.1:${own.http}/`, { headers: { Host: host } })).text;
    await until(
      async () => (await served('www.block.example').catch(() => '')) === 'block, changed',
      'the sites',
    );
    // The id of a deleted vhost is not reused.
    const made = await ask<{ id: number }>(`${hub}/vhosts`, {
      json: { domain: 'http://new.example', config: 'respond new' },
      headers,
    });
    expect([made.status, made.body.id]).toEqual([201, 5]);
    expect(await served('new.example')).toBe('new');
  });
});
