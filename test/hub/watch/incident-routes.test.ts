/** The routes of incidents and events, against a database with some. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { incidents, vhosts } from '../../../src/hub/db/schema.ts';
import { readSettings } from '../../../src/program/config.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { EVENT_NAMES } from '../../../src/shared/events.ts';
import { ask, freePort, machine, signUp, temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
let hub: Awaited<ReturnType<typeof serveHub>>;
let api: string;
let headers: Record<string, string>;

const beganAt = new Date('2026-11-20T18:00:00.000Z');
const drive = {
  ...{ event: 'disk.full' as const, subject: 'disk hub', about: '', level: 'bad' as const },
  ...{ message: 'Less than 5 % is free.', beganAt, overAt: new Date('2026-11-20T18:05:00.000Z') },
};
const site = {
  ...{ event: 'upstream.down' as const, subject: 'vhost 7', about: 'a.example' },
  ...{ level: 'warn' as const, message: '127.0.0.1:1 does not answer.', beganAt, flapping: true },
};
const proxy = {
  ...{ event: 'proxy.down' as const, subject: 'agent 1', about: 'vps' },
  ...{ level: 'bad' as const, message: 'Caddy is not running.', beganAt },
};

// Without its agent, the hub does not know whether the open ones are over.
beforeAll(async () => {
  const { db, close } = openDatabase(folder);
  db.insert(incidents).values([drive, site, proxy]).run();
  const times = { createdAt: beganAt, updatedAt: beganAt };
  const vhost = { id: 7, domain: 'a.example', config: 'respond a' };
  db.insert(vhosts)
    .values({ ...vhost, ...times, position: 1, upstream: '', enabled: true })
    .run();
  close();
  const env = {
    ...{ PATH: process.env.PATH, DATA_DIR: folder, HUB_PORT: '0' },
    ...{ AGENT_TOKEN: 'x'.repeat(40), AGENT_URL: `http://127.0.0.1:${freePort()}` },
  };
  hub = await serveHub(readSettings('hub', env, machine).hub, 'x'.repeat(40), () => {});
  api = `${hub.url}/api`;
  headers = (await signUp({ hub: api })).headers;
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an unknown filter is refused', async () => {
  const { status } = await ask(`${api}/incidents?open=maybe`, { headers });
  expect(status).toBe(400);
});

test('the newest come first, with what they are about', async () => {
  const { body } = await ask(`${api}/incidents`, { headers });
  const began = { beganAt: '2026-11-20T18:00:00.000Z', overAt: null };
  const { event, level, message } = site;
  expect(body).toEqual([
    {
      ...{ id: 3, event: 'proxy.down', agent: 'vps', level: 'bad', ...began },
      ...{ message: proxy.message, flapping: false },
    },
    {
      id: 2,
      event,
      vhost: { id: 7, domain: 'a.example' },
      level,
      message,
      ...began,
      flapping: true,
    },
    {
      ...{ id: 1, event: 'disk.full', level: 'bad', message: drive.message, flapping: false },
      ...{ ...began, overAt: '2026-11-20T18:05:00.000Z' },
    },
  ]);
});

test('only open ones, if that is asked for', async () => {
  const { body } = await ask<{ id: number }[]>(`${api}/incidents?open=true`, { headers });
  expect(body.map(({ id }) => id)).toEqual([3, 2]);
});

test('every event has a meaning, and a read-only token is enough', async () => {
  const json = { name: 'reader' };
  const made = await ask<{ token: string }>(`${api}/tokens`, { headers, json });
  const token = { Authorization: `Bearer ${made.body.token}` };
  const { status, body } = await ask<{ event: string; meaning: string }[]>(`${api}/events`, {
    headers: token,
  });
  expect(status).toBe(200);
  expect(body.map(({ event }) => event)).toEqual(EVENT_NAMES);
  expect(body.every(({ meaning }) => meaning.endsWith('.'))).toBe(true);
  expect((await ask(`${api}/incidents`, { headers: token })).status).toBe(200);
});
