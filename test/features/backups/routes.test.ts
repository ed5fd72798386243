// proof: hub
/** Backups of a hub that runs: made by itself, listed, reported if they fail, and restored. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BackupsView } from '../../../src/features/backups/routes.ts';
import { VERSION } from '../../../src/program/version.ts';
import { forFile } from '../../harness/for-file.ts';
import { hang, mayMount } from '../../harness/mount.ts';
import { startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { ask, temporaryFolder, until } from '../../harness/stack.ts';

type Failed = { code: string; message: string; field?: string };
const PASSPHRASE = 'open sesame';
/** Each tenth of a second, whether one is due. */
const BACKUPS = { look: 100, every: 3_600_000, retry: 200 };
const PACES = { ...QUICK, hub: { ...QUICK.hub, own: { backups: BACKUPS } } };

const folder = temporaryFolder();
const dir = join(folder, 'backups');

const call = <T = Failed>(method: string, path: string, json?: unknown) =>
  ask<T>(`${owner.stack.hub}${path}`, { method, headers, json });
const view = async () => (await call<BackupsView>('GET', '/backups')).body;
const make = async () => {
  const { status, body } = await call<BackupsView>('POST', '/backups');
  return { status, newest: body.backups[0], count: body.backups.length };
};
const create = async (name: string) =>
  expect((await owner.create(name)).domain).toBe(`http://${name}.example`);
async function signIn(): Promise<boolean> {
  const json = { email: 'ada@example.org', password: 'a long passphrase' };
  const url = `${owner.stack.hub}/auth/sign-in/email`;
  // For a moment nobody listens.
  const answer = await ask<{ token: string }>(url, { json }).catch(() => null);
  if (answer?.status !== 200) return false;
  headers = { Authorization: `Bearer ${answer.body.token}` };
  Object.assign(owner.headers, headers);
  return true;
}
async function restored(name: string, how: object = {}): Promise<void> {
  const { status, body } = await call('POST', `/backups/${name}/restore`, how);
  expect([status, body as unknown]).toEqual([
    202,
    { restarting: true, sites: expect.any(Number), accounts: 1 },
  ]);
  await until(
    async () => (await call('GET', '/vhosts').catch(() => null))?.status === 401,
    'a new hub',
  );
  await until(signIn, 'signing in');
}

mkdirSync(dir);
const env = { BACKUP_DIR: dir, BACKUP_PASSPHRASE: PASSPHRASE, BACKUP_KEEP: '50' };
const owner = await forFile(startOwner(env, folder, PACES));
let { headers } = owner;
describe('backups of a hub', () => {
  test('are made without asking, once there is an account, and no path of the host is shown', async () => {
    await until(() => readdirSync(dir).some((name) => name.endsWith('.db')), 'the first backup');
    const found = await until(async () => {
      const now = await view();
      return now.succeededAt !== null && now;
    }, 'its success');
    expect(found).toMatchObject({ enabled: true, keep: 50, sealed: true, failure: null });
    expect(found.backups.length).toBe(1);
    expect(JSON.stringify(found)).not.toContain(folder);
  });

  test('that fail are a problem until the next success, and are tried again', async () => {
    renameSync(dir, `${dir}.away`);
    await create('first');
    const refused = await call('POST', '/backups');
    expect([refused.status, refused.body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
    expect(refused.body.message).toBe(
      'No backup was made: BACKUP_DIR is not there: mount its disk, or create the folder.',
    );
    const gone = await view();
    expect([gone.unreadable !== null, gone.failure?.reason, gone.backups]).toEqual([
      true,
      'BACKUP_DIR is not there: mount its disk, or create the folder',
      [],
    ]);
    expect(JSON.stringify(gone)).not.toContain(folder);
    type Incident = { event: string; overAt: string | null };
    const incident = async () =>
      (await call<Incident[]>('GET', '/incidents')).body.find(
        ({ event }) => event === 'backup.failed',
      );
    await until(async () => (await incident())?.overAt === null, 'the incident');
    const { problems } = (await call<{ problems: Failed[] }>('GET', '/status')).body;
    expect(problems.find(({ code }) => code === 'BACKUP_FAILED')?.message).toBe(
      'No backup is made: BACKUP_DIR is not there: mount its disk, or create the folder.',
    );
    renameSync(`${dir}.away`, dir);
    await until(async () => (await incident())?.overAt, 'the incident to be resolved');
    expect((await view()).backups.length).toBe(2);
  });

  test.skipIf(!mayMount)('keep no thread of the hub waiting while their disk hangs', async () => {
    const end = await hang(dir);
    // Without FUSE, there is no such disk.
    if (!end) return;
    /** The threads that wait for it: of this process, or of its children. */
    const waiting = () =>
      Bun.spawnSync(['ps', '-eLo', 'pid,ppid,wchan:32'])
        .stdout.toString()
        .split('\n')
        .map((line) => line.trim().split(/ +/))
        .filter(([, , where]) => /fuse|request_wait/.test(where ?? ''));
    const listed = view();
    const made = call('POST', '/backups');
    const own = String(process.pid);
    await until(
      () => waiting().filter(([, parent]) => parent === own).length > 1,
      'both to wait for it',
    );
    expect(waiting().filter(([pid]) => pid === own)).toEqual([]);
    await create('meanwhile');
    end();
    expect((await listed).unreadable).not.toBeNull();
    expect((await made).status).toBe(507);
    expect((await view()).unreadable).toBeNull();
    await until(async () => (await view()).failure === null, 'a backup again');
  });

  test('are refused if damaged, unknown, or with another passphrase, and nothing changes', async () => {
    const { status, newest } = await make();
    expect(status).toBe(200);
    const name = newest?.name ?? '';
    const before = await owner.everything();
    const bad = name.replace(/\d\d-\d\d\dZ/, '59-999Z');
    const bytes = readFileSync(join(dir, name));
    writeFileSync(join(dir, bad), bytes.fill(0x5a, 4096, 3 * 4096));
    for (const [named, how, expected] of [
      [bad, {}, [507, 'STORAGE_UNAVAILABLE']],
      [bad.replace('59-999Z', '58-999Z'), {}, [404, 'NOT_FOUND']],
      ['..%2f..%2fdata%2fsignalbox.db', {}, [404, 'NOT_FOUND']],
      [name, { passphrase: 1 }, [400, 'INVALID_REQUEST']],
    ] as const) {
      const refused = await call('POST', `/backups/${named}/restore`, how);
      expect([refused.status, refused.body.code]).toEqual([...expected]);
      expect(refused.text).not.toContain(folder);
    }
    // As long as no disk has room for, though it has no blocks.
    truncateSync(join(dir, bad), 2 ** 43);
    const huge = await call('POST', `/backups/${bad}/restore`, {});
    expect([huge.status, huge.body.message]).toEqual([
      507,
      expect.stringContaining('nothing was changed: the disk of DATA_DIR has too little room'),
    ]);
    rmSync(join(dir, bad));
    expect(await owner.everything()).toEqual(before);
    expect(readdirSync(owner.stack.dataDir).filter((one) => one.includes('restor'))).toEqual([]);
  });

  test('restore sites and accounts, end sessions, and keep what was there', async () => {
    const { newest } = await make();
    await create('later');
    expect(await owner.served('later')).toBe('later');
    await restored(newest?.name ?? '');
    await until(async () => (await owner.served('later')) !== 'later', 'the later site to go');
    expect(await owner.served('first')).toBe('first');
    type Entry = { target: string; actorName: string; outcome: string };
    const [entry] = (await call<Entry[]>('GET', '/security-log?kind=restore')).body;
    expect(entry).toMatchObject({ target: newest?.name, actorName: 'Ada', outcome: 'ok' });
    const kept = readdirSync(owner.stack.dataDir).find((one) => one.includes('before-restore'));
    const sqlite = new Database(join(owner.stack.dataDir, kept ?? ''), { readonly: true });
    expect(sqlite.query('SELECT count(*) FROM vhosts').values()).toEqual([[3]]);
    sqlite.close();
    // What runs now is whole: it changes, backs up, and can be restored again.
    await create('again');
    const again = await make();
    expect(again.newest?.name).not.toBe(newest?.name);
    await restored(again.newest?.name ?? '');
    expect(await owner.served('again')).toBe('again');
  });

  test('are not restored while another program has the database open, nor by mistake a stranger’s', async () => {
    const { newest } = await make();
    const path = `/backups/${newest?.name}/restore`;
    const other = new Database(join(owner.stack.dataDir, 'signalbox.db'));
    other.run('SELECT count(*) FROM users');
    const refused = await call('POST', path, {});
    other.close();
    expect([refused.status, refused.body.message]).toEqual([
      507,
      'The backup was not restored, and nothing was changed: another program has the database open (Litestream?); stop it first.',
    ]);
    await create('unharmed');
    // As if another hub had made it, whose place this one would take.
    const strange = newest?.name.replace(/-[0-9a-f]{8}-/, '-00000000-') ?? '';
    copyFileSync(join(dir, newest?.name ?? ''), join(dir, strange));
    const { backups } = await view();
    expect(backups.filter(({ own }) => !own).map(({ name }) => name)).toEqual([strange]);
  });

  test('with another key need their passphrase, or do without', async () => {
    const channel = { name: 'Hook', kind: 'webhook', target: { url: 'http://127.0.0.1:9/' } };
    expect((await call('POST', '/channels', channel)).status).toBe(201);
    const { newest } = await make();
    expect(newest?.key).toBe('sealed');
    const key = join(owner.stack.dataDir, 'secret-key');
    const right = readFileSync(key, 'utf8');
    const other = `${'z'.repeat(42)}A\n`;
    writeFileSync(key, other);
    const path = `/backups/${newest?.name}/restore`;
    const refused = await call('POST', path, { passphrase: 'sesame' });
    expect([refused.status, refused.body.code, refused.body.message, refused.body.field]).toEqual([
      400,
      'INVALID_REQUEST',
      'Wrong passphrase.',
      'passphrase',
    ]);
    expect(readFileSync(key, 'utf8')).toBe(other);
    await restored(newest?.name ?? '', { passphrase: PASSPHRASE });
    expect(readFileSync(key, 'utf8')).toBe(right);
    const kept = readdirSync(owner.stack.dataDir).find((one) =>
      one.startsWith('secret-key.before'),
    );
    expect(readFileSync(join(owner.stack.dataDir, kept ?? ''), 'utf8')).toBe(other);
    writeFileSync(key, other);
    await restored(newest?.name ?? '', { passphrase: 'lost', withoutKey: true });
    expect(readFileSync(key, 'utf8')).toBe(other);
    writeFileSync(key, right);
  });

  test('are made before another version of the program runs, or the schema changes', async () => {
    await make();
    const state = join(owner.stack.dataDir, 'backups.json');
    const count = (await view()).backups.length;
    const change = (upstream: string) => {
      const sqlite = new Database(join(owner.stack.dataDir, 'signalbox.db'));
      sqlite.run('UPDATE vhosts SET upstream = ?', [upstream]);
      sqlite.close();
    };
    await owner.stack.restart(() => {
      change('unseen');
      const known = JSON.parse(readFileSync(state, 'utf8'));
      writeFileSync(state, JSON.stringify({ ...known, program: '0.0.1' }));
    });
    expect((await view()).backups.length).toBe(count + 1);
    expect(JSON.parse(readFileSync(state, 'utf8')).program).toBe(VERSION);
    await owner.stack.restart(() => change('unseen as well'));
    expect((await view()).backups.length).toBe(count + 1);
  });
});

test('without BACKUP_DIR nothing is made, and it says so', async () => {
  const plain = await startOwner();
  try {
    const list = await plain.call<BackupsView>('GET', '/backups');
    expect([list.body.enabled, list.body.backups]).toEqual([false, []]);
    const refused = await plain.call('POST', '/backups');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('BACKUP_DIR')]);
  } finally {
    await plain.stack.stop();
  }
});
