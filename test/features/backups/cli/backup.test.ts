/** `signalbox backup` beside a running hub. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionAfter } from '../../../../src/hub/db/migrate.ts';
import { layDatabase } from '../../../harness/filled-db.ts';
import { mayMount, mountSmall } from '../../../harness/mount.ts';
import { createOperator, refusal } from '../../../harness/operator.ts';
import { MAIN } from '../../../harness/program.ts';
import { ask, freePort, signUp } from '../../../harness/stack.ts';

// A test starts a dozen processes, and the machine may be busy.

/** The latest schema version. */
const LATEST = versionAfter();
const { folder, port, run, start, close } = createOperator();
const dataDir = join(folder, 'data');
const live = join(dataDir, 'signalbox.db');
const never = join(folder, 'never.db');

const create = (name: string) =>
  ask<{ id: number }>(`${hub}/vhosts`, {
    json: { domain: `http://${name}.example`, config: `respond ${name}` },
    headers,
  });

const { hub } = await start();
const { headers } = await signUp({ hub });
for (const name of ['first', 'second']) expect((await create(name)).status).toBe(201);
afterAll(close);

test('refuses a bad target, and writes nothing', async () => {
  expect((await run(['backup'])).code).toBe(2);
  expect((await run(['backup', never, '--nonsense'])).code).toBe(2);
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  expect(await run(['backup', never], { cwd: elsewhere })).toEqual(
    refusal('there is no database in'),
  );
  expect(readdirSync(elsewhere)).toEqual([]);
  const nowhere = await run(['backup', join(folder, 'no/such/file')]);
  expect([nowhere.code, nowhere.err]).toEqual([
    1,
    `signalbox backup: the folder ${folder}/no/such does not exist\n`,
  ]);
  expect((await run(['backup', elsewhere])).err).toContain('is not a file');
  const itself = await run(['backup', live, '--force']);
  expect([itself.code, itself.err]).toEqual([
    1,
    `signalbox backup: ${live} is the database itself\n`,
  ]);
  expect(readdirSync(folder).filter((name) => name.startsWith('never'))).toEqual([]);
});

test('copies what is committed while the hub runs, readable only by its owner', async () => {
  const to = join(folder, 'copy.db');
  const done = await run(['backup', to]);
  expect([done.code, done.out, done.err]).toEqual([
    0,
    `${to}: 2 sites, 1 account, schema version ${LATEST}\n`,
    '',
  ]);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
});

test('is consistent while changes are made', async () => {
  const made: number[] = [];
  let done = false;
  const changes = (async () => {
    for (let at = 0; at < 10; at++) made.push((await create(`n${at}`)).body.id);
    done = true;
  })();
  const counts: number[] = [];
  while (!done) {
    const to = join(folder, 'during.db');
    expect((await run(['backup', to, '--force'])).code).toBe(0);
    const sqlite = new Database(to, { readonly: true });
    const count = (text: string) => Object.values(sqlite.query(text).get() as object)[0];
    const created = count("SELECT count(*) FROM changelog WHERE action = 'create'");
    expect(created).toBe(count('SELECT count(*) FROM vhosts'));
    counts.push(created);
    sqlite.close();
  }
  await changes;
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  for (const id of made) await ask(`${hub}/vhosts/${id}`, { method: 'DELETE', headers });
});

test('does not hinder changes while another program reads and checkpoints, as Litestream does', async () => {
  // Litestream always has a read transaction open, and makes its own checkpoints.
  const reader = new Database(live);
  const other = new Database(live);
  for (const each of [reader, other]) each.run('PRAGMA busy_timeout = 1000');
  reader.run('BEGIN');
  reader.query('SELECT count(*) FROM vhosts').get();
  for (let at = 0; at < 4; at++) {
    const made = await create('beside');
    expect(made.status).toBe(201);
    other.run('PRAGMA wal_checkpoint(PASSIVE)');
    const gone = await ask(`${hub}/vhosts/${made.body.id}`, { method: 'DELETE', headers });
    expect(gone.status).toBe(200);
    reader.run('COMMIT');
    other.run('PRAGMA wal_checkpoint(TRUNCATE)');
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM vhosts').get();
  }
  reader.close();
  other.close();
});

test('replaces a file only with --force, and writes to standard output', async () => {
  writeFileSync(join(folder, 'mine'), 'mine');
  const refused = await run(['backup', join(folder, 'mine')]);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('already exists; use --force to replace it');
  expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
  expect((await run(['backup', join(folder, 'mine'), '--force'])).code).toBe(0);
  expect(readFileSync(join(folder, 'mine'), 'latin1')).toStartWith('SQLite format 3\0');

  const child = Bun.spawnSync([process.execPath, MAIN, 'backup', '-'], { cwd: folder });
  expect(child.exitCode).toBe(0);
  expect(child.stderr.toString()).toContain('backup: 2 sites, 1 account');
  writeFileSync(join(folder, 'piped.db'), child.stdout);
  const sqlite = new Database(join(folder, 'piped.db'), { readonly: true });
  expect(sqlite.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
  sqlite.close();
  expect(readdirSync(dataDir).filter((name) => name.includes('sending'))).toEqual([]);
});

test('writes everything to a slow pipe', async () => {
  const big = join(folder, 'big');
  layDatabase(join(big, 'data'), { http: port, https: freePort() });
  const sqlite = new Database(join(big, 'data/signalbox.db'));
  sqlite.run('UPDATE vhosts SET config = hex(randomblob(2000000))');
  sqlite.run('DELETE FROM agents WHERE fingerprint IS NOT NULL');
  // Nothing needs the key, so that it is not named.
  for (const table of ['channels', 'two_factors', 'certificates'])
    sqlite.run(`DELETE FROM ${table}`);
  sqlite.close();
  const reader = 'until ls data/*.sending; do :; done >/dev/null 2>&1; cat > piped.db';
  const shell = `set -o pipefail; "$0" "${MAIN}" backup - | { ${reader}; }`;
  const child = Bun.spawn(['bash', '-c', shell, process.execPath], { cwd: big, stderr: 'pipe' });
  expect(await child.stderr.text()).toBe(`backup: 3 sites, 2 accounts, schema version ${LATEST}\n`);
  expect(await child.exited).toBe(0);
  const piped = new Database(join(big, 'piped.db'), { readonly: true });
  expect(piped.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
  piped.close();
  expect(readdirSync(join(big, 'data')).toSorted()).toEqual(['signalbox.db']);
});

test.skipIf(!mayMount)('reports a full disk, and leaves no partial file', async () => {
  const small = join(folder, 'small');
  expect(mountSmall(small, 'size=32k')).toBe(true);
  try {
    const full = await run(['backup', join(small, 'full.db')]);
    expect([full.code, full.out, full.err]).toEqual([
      1,
      '',
      'signalbox backup: the disk is full\n',
    ]);
    expect(readdirSync(small)).toEqual([]);
  } finally {
    Bun.spawnSync(['umount', '-l', small]);
  }
});
