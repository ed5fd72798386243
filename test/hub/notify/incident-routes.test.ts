/** The routes of incidents and events, against a database with some. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openBeside } from '../../../src/hub/db/open.ts';
import { incidents } from '../../../src/hub/db/schema.ts';
import { EVENT_NAMES } from '../../../src/shared/events.ts';
import { ask, type Stack, signUp, startStack } from '../../harness/stack.ts';

let stack: Stack;
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
const agent = {
  ...{ event: 'agent.unreachable' as const, subject: 'agent 2', about: 'vps' },
  ...{ level: 'bad' as const, message: 'The agent does not answer.', beganAt },
};

beforeAll(async () => {
  stack = await startStack();
  headers = (await signUp(stack)).headers;
  const { db, close } = openBeside(stack.dataDir);
  db.insert(incidents).values([drive, site, agent]).run();
  close();
});
afterAll(() => stack.stop());

test('strangers learn nothing, and an unknown filter is refused', async () => {
  for (const path of ['incidents', 'events']) {
    expect((await ask(`${stack.hub}/${path}`)).status).toBe(401);
  }
  const { status } = await ask(`${stack.hub}/incidents?open=maybe`, { headers });
  expect(status).toBe(400);
});

test('the newest come first, with what they are about', async () => {
  const { body } = await ask(`${stack.hub}/incidents`, { headers });
  const began = { beganAt: '2026-11-20T18:00:00.000Z', overAt: null };
  const { event, level, message } = site;
  expect(body).toEqual([
    {
      ...{ id: 3, event: 'agent.unreachable', agent: 'vps', level: 'bad', ...began },
      ...{ message: agent.message, flapping: false },
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
  const { body } = await ask<{ id: number }[]>(`${stack.hub}/incidents?open=true`, { headers });
  expect(body.map(({ id }) => id)).toEqual([3, 2]);
});

test('every event has a meaning, and a read-only token is enough', async () => {
  const json = { name: 'reader' };
  const made = await ask<{ token: string }>(`${stack.hub}/tokens`, { headers, json });
  const token = { Authorization: `Bearer ${made.body.token}` };
  const { status, body } = await ask<{ event: string; meaning: string }[]>(`${stack.hub}/events`, {
    headers: token,
  });
  expect(status).toBe(200);
  expect(body.map(({ event }) => event)).toEqual(EVENT_NAMES);
  expect(body.every(({ meaning }) => meaning.endsWith('.'))).toBe(true);
  expect((await ask(`${stack.hub}/incidents`, { headers: token })).status).toBe(200);
});
