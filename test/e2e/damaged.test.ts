/** A damaged database: the sites are served all the same, and a restore brings the hub back. */
import { Database } from 'bun:sqlite';
import { beforeEach, expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restore } from '../../src/features/backups/cli/restore.ts';
import { forEachTest } from '../harness/for-tests.ts';
import { startOwner } from '../harness/owner.ts';
import { ask, until } from '../harness/stack.ts';

const owner = forEachTest(() => startOwner());
let backup: string;
const database = () => join(owner.stack.dataDir, 'signalbox.db');
const served = async () => (await owner.stack.served('first.example')).text;
const health = async () => (await ask<{ code?: string }>(`${owner.stack.hub}/health`)).body;

/** Overwrites all pages but the first. */
function damage(): void {
  const bytes = readFileSync(database());
  bytes.fill(0, 4096);
  // In place, as a disk would: a new file would be refused for another reason.
  writeFileSync(database(), bytes, { flag: 'r+' });
}

beforeEach(async () => {
  const json = { domain: 'http://first.example', config: 'respond first' };
  expect((await owner.call('POST', '/vhosts', json)).status).toBe(201);
  backup = join(owner.stack.folder, 'backup.db');
  const sqlite = new Database(database());
  sqlite.query('VACUUM INTO ?').run(backup);
  sqlite.close();
});

test('found at the start: the last Caddyfile is served, and the hub says what to do', async () => {
  const before = owner.stack.readProxyfile();
  await owner.stack.restart(damage);
  expect([await served(), owner.stack.readProxyfile()]).toEqual(['first', before]);
  for (const path of ['/health', '/vhosts', '/status', '/never-there']) {
    const { status, body, text } = await ask<{ code: string }>(owner.stack.hub + path, {
      headers: owner.headers,
    });
    expect([path, status, body.code]).toEqual([path, 503, 'DATABASE_UNUSABLE']);
    expect(text).not.toContain(owner.stack.dataDir);
  }
  const why = owner.stack.lines.find((line) => line.includes('is damaged'));
  expect(why).toContain(database());
  expect(why).toContain('signalbox restore');

  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const restored = () =>
    restore(
      backup,
      { folder: owner.stack.dataDir, passphrase: null, withoutKey: false },
      { out: say, err: say },
    );
  // The hub that tries to open the database holds the folder for a moment.
  await until(async () => (await restored()) === 0, `the restore (${said})`);
  // For a moment nobody listens.
  const isWell = () => health().then(({ code }) => code === undefined);
  await until(() => isWell().catch(() => false), 'the hub');
  const json = { email: 'ada@example.org', password: 'a long passphrase' };
  const signedIn = await ask<{ token: string }>(`${owner.stack.hub}/auth/sign-in/email`, { json });
  const own = { Authorization: `Bearer ${signedIn.body.token}` };
  const change = { domain: 'http://second.example', config: 'respond second' };
  const made = await ask(`${owner.stack.hub}/vhosts`, { json: change, headers: own });
  expect([made.status, await served()]).toEqual([201, 'first']);
});

test('found later: the routes that need it say so, and the hub is not healthy', async () => {
  await owner.stack.restart(() => {
    const sqlite = new Database(database());
    // More than SQLite keeps in memory.
    sqlite.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO changelog (user_id, user_name, action, domain, created_at, diff)
      SELECT 'x', 'x', 'update', 'x', 0, hex(randomblob(2000)) FROM n`);
    sqlite.close();
    expect(statSync(database()).size).toBeGreaterThan(4_000_000);
  });
  expect(await health()).toEqual({ status: 'ok' } as object);
  damage();
  const answer = await until(async () => {
    const { status, body } = await owner.call<{ code: string }>('GET', '/changelog');
    return status !== 200 && { status, code: body.code };
  }, 'a damaged page');
  expect(answer).toEqual({ status: 503, code: 'DATABASE_UNUSABLE' });
  expect((await health()).code).toBe('DATABASE_UNUSABLE');
  expect(await served()).toBe('first');
});
