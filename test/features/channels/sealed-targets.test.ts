/** Targets of channels at rest: in no file of the database, and what happens without the key. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase } from '../../../src/hub/db/copy.ts';
import { type HubAlone, startHubAlone } from '../../harness/hub-alone.ts';
import { type Receiver, startReceiver } from '../../harness/receiver.ts';
import { ask, signUp, temporaryFolder, until } from '../../harness/stack.ts';

const CANARY = 'a-secret-of-the-receiver';

type Channel = { id: number; name: string; target: object; code?: string; failing: unknown };
type Status = { problems: { code: string; message: string }[] };

let folder: string;
let dataDir: string;
let key: string;
let receiver: Receiver;
let hub: HubAlone;
let headers: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
  key = join(dataDir, 'secret-key');
  receiver = startReceiver(CANARY);
});
afterEach(async () => {
  await hub.stop();
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  hub = await startHubAlone({ DATA_DIR: dataDir });
  headers = (await signUp(hub)).headers;
}
const call = <T = Channel>(method: string, path: string, json?: unknown) =>
  ask<T>(`${hub.hub}${path}`, { method, headers, json });
const hook = () => ({
  name: 'Hook',
  kind: 'webhook',
  target: { url: `${receiver.url}/hook`, secret: CANARY },
});
const faults = async () =>
  (await call<Status>('GET', '/status')).body.problems.flatMap(({ code, message }) =>
    code === 'SECRET_KEY_UNUSABLE' ? message : [],
  );

function inDatabase<T>(work: (sqlite: Database) => T): T {
  const sqlite = new Database(join(dataDir, 'signalbox.db'));
  try {
    sqlite.run('PRAGMA busy_timeout = 5000');
    return work(sqlite);
  } finally {
    sqlite.close();
  }
}

/** The files that hold the secret or the address. */
const holding = (...files: string[]) =>
  files.filter((file) => {
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    return bytes.includes(CANARY) || bytes.includes(receiver.url);
  });
const files = () => ['', '-wal', '-shm'].map((end) => join(dataDir, `signalbox.db${end}`));

function backup(): string {
  const file = join(dataDir, 'backup.db');
  inDatabase((sqlite) => copyDatabase(sqlite, file));
  return file;
}

test('a channel that is created or changed is sealed', async () => {
  await start();
  const { id } = (await call('POST', '/channels', hook())).body;
  await call('PUT', `/channels/${id}`, { target: { url: `${receiver.url}/other` } });
  expect(holding(...files(), backup())).toEqual([]);
  expect((await call('POST', `/channels/${id}/test`)).status).toBe(200);
});

test('without its key, a channel gets nothing and says why, until the key is back', async () => {
  await start();
  const { id } = (await call('POST', '/channels', hook())).body;
  expect(await faults()).toEqual([]);
  renameSync(key, `${key}.kept`);
  inDatabase((sqlite) =>
    sqlite.run(
      `INSERT INTO messages (channel_id, state, event, about, level, message, at, due_at)
       VALUES (?, 'began', 'drift', '', 'warn', 'x', ?, ?)`,
      [id, Date.now(), Date.now()],
    ),
  );
  await hub.restart();
  expect(hub.lines.join('\n')).toContain('DATA_DIR/secret-key is missing');
  const get = async () => (await call('GET', `/channels/${id}`)).body;
  const failing = await until(async () => (await get()).failing, 'an attempt');
  expect(failing).toMatchObject({ detail: expect.stringContaining('secret-key is missing') });
  expect((await call<Channel[]>('GET', '/channels')).body).toMatchObject([
    { id, name: 'Hook', target: {} },
  ]);
  for (const [method, path, json] of [
    ['POST', `/channels/${id}/test`],
    ['PUT', `/channels/${id}`, { target: hook().target }],
    ['POST', '/channels', hook()],
  ] as const) {
    const { status, body } = await call(method, path, json);
    expect([path, status, body.code]).toEqual([path, 503, 'SECRET_KEY_UNUSABLE']);
  }
  expect((await call('PUT', `/channels/${id}`, { name: 'Mine' })).status).toBe(200);
  expect(await faults()).toEqual([
    'DATA_DIR/secret-key is missing: restore it from a backup and restart the hub. If there is none: delete all channels and create them again.',
  ]);
  expect([existsSync(key), receiver.received.length]).toEqual([false, 0]);

  renameSync(`${key}.kept`, key);
  expect(await faults()).toEqual([]);
  expect((await call('POST', `/channels/${id}/test`)).status).toBe(200);
});

test('after the loss of the key, new channels are sealed with a new one', async () => {
  await start();
  const { id } = (await call('POST', '/channels', hook())).body;
  rmSync(key);
  expect((await call('DELETE', `/channels/${id}`)).status).toBe(200);
  expect(await faults()).toEqual([]);
  const made = await call('POST', '/channels', hook());
  expect([made.status, existsSync(key)]).toEqual([201, true]);
  expect((await call('POST', `/channels/${made.body.id}/test`)).status).toBe(200);
});
