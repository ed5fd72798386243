/** The routes of incidents and events, against a database with some. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { incidents, vhosts } from '../../../src/hub/db/schema.ts';
import { knownChange } from '../../../src/hub/model/known-changes.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import { EVENT_NAMES } from '../../../src/shared/events.ts';
import { readExposition, sampleOf } from '../../harness/exposition.ts';
import { folderForFile, forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, hasFeature, signUp } from '../../harness/stack.ts';

const folder = folderForFile();

const beganAt = new Date('2026-11-20T18:00:00.000Z');
const drive = {
  event: 'disk.full' as const,
  subject: 'disk hub',
  about: '',
  level: 'bad' as const,
  message: 'Less than 5 % is free.',
  beganAt,
  overAt: new Date('2026-11-20T18:05:00.000Z'),
};
const site = {
  event: 'upstream.down' as const,
  subject: 'vhost 7',
  about: 'a.example',
  level: 'warn' as const,
  message: '127.0.0.1:1 does not answer.',
  beganAt,
  flapping: true,
};
const proxy = {
  event: 'proxy.down' as const,
  subject: 'agent 1',
  about: 'vps',
  level: 'bad' as const,
  message: 'Caddy is not running.',
  beganAt,
};
const gone = {
  event: 'agent.unreachable' as const,
  subject: 'agent 1',
  about: '',
  level: 'bad' as const,
  message:
    'The agent does not answer. Caddy’s state is unknown, and nothing can be changed until the agent returns.',
  beganAt,
  problem: 'AGENT_UNREACHABLE agent 1',
};

const database = openDatabase(folder);
database.db.insert(incidents).values([drive, site, proxy, gone]).run();
const times = { createdAt: beganAt, updatedAt: beganAt };
const vhost = { id: 7, domain: 'a.example', config: 'respond a' };
database.db
  .insert(vhosts)
  .values({ ...vhost, ...times, position: 1, upstream: '', enabled: true })
  .run();
database.close();

// Without its agent, the hub does not know whether the open ones are over.
const hub = await forFile(startHubAlone({ DATA_DIR: folder }));
const api = hub.hub;
const { headers } = await signUp(hub);
const json = { name: 'reader' };
const { token } = (await ask<{ token: string }>(`${api}/tokens`, { headers, json })).body;
const reader = { Authorization: `Bearer ${token}` };

test('an unknown filter is refused', async () => {
  const { status } = await ask(`${api}/incidents?open=maybe`, { headers });
  expect(status).toBe(400);
});

test('the newest come first, with what they are about', async () => {
  const { body } = await ask<object[]>(`${api}/incidents`, { headers });
  const began = { beganAt: '2026-11-20T18:00:00.000Z', overAt: null };
  const seen = ({ event, level, message }: Record<'event' | 'level' | 'message', string>) => {
    return { event, level, message, ...began, flapping: false };
  };
  expect(body).toEqual([
    { ...seen(gone), id: 4 },
    { ...seen(proxy), id: 3, agent: 'vps' },
    { ...seen(site), id: 2, vhost: { id: 7, domain: 'a.example' }, flapping: true },
    { ...seen(drive), id: 1, overAt: '2026-11-20T18:05:00.000Z' },
  ]);
});

test('only open ones, if that is asked for', async () => {
  const { body } = await ask<{ id: number }[]>(`${api}/incidents?open=true`, { headers });
  expect(body.map(({ id }) => id)).toEqual([4, 3, 2]);
});

test('a problem is there since its incident began, over a restart, wherever it is shown', async () => {
  type Seen = { code: string; level: string; since: string };
  const { body } = await ask<{ problems: Seen[]; agents: Seen[] }>(`${api}/status`, { headers });
  const [worst, ...others] = body.problems;
  expect(worst).toMatchObject({ code: 'AGENT_UNREACHABLE', since: beganAt.toISOString() });
  const agents = await ask<Seen[]>(`${api}/agents`, { headers });
  const since = [...body.agents, ...agents.body].map((one) => one.since);
  expect(since).toEqual([beganAt.toISOString(), beganAt.toISOString()]);
  if (!hasFeature('metrics')) return;
  const metrics = readExposition((await ask(new URL('/metrics', api).href)).text);
  const counted = (level: string) => sampleOf(metrics, 'signalbox_problems', `level="${level}"`);
  expect([counted('bad'), counted('warn')]).toEqual([1, others.length]);
});

describe('a problem that somebody knows of', () => {
  type Problem = { key: string; code: string; known?: { until: string | null; by: string } };
  type Group = { group: number; summary: string; userName: string };
  const list = async () =>
    (await ask<{ problems: Problem[] }>(`${api}/status`, { headers })).body.problems;
  const find = async () =>
    (await list()).find(({ code }) => code === 'AGENT_UNREACHABLE') as Problem;
  const know = (key: string, json: object) =>
    ask<{ code: string }>(`${api}/problems/${key}/known`, { method: 'PUT', headers, json });
  const forget = (key: string) =>
    ask(`${api}/problems/${key}/known`, { method: 'DELETE', headers });
  const later = new Date(Date.now() + 86_400_000).toISOString();

  test.each([
    ['until a time that is over', '2026-01-01T00:00:00.000Z'],
    ['until something that is no time', 'tomorrow'],
    ['without saying until when', undefined],
  ])('is not marked %s', async (_, until) => {
    const { key } = await find();
    expect((await know(key, { until })).status).toBe(400);
    expect((await find()).known).toBeUndefined();
  });

  test('is not marked if there is none', async () => {
    expect((await know('0123456789abcdef', { until: null })).status).toBe(404);
    expect((await forget('0123456789abcdef')).status).toBe(404);
  });

  test('stays in the list, last, and counts nowhere; the changelog has it, with its undo', async () => {
    const before = await list();
    const { key } = await find();
    expect(before[0]?.key).toBe(key);
    const made = await know(key, { until: later });
    expect([made.status, made.body]).toEqual([200, { until: later, by: 'Ada' }] as never);
    const after = await list();
    expect(after.map((one) => one.key)).toEqual([...before.slice(1).map((one) => one.key), key]);
    expect(after.at(-1)?.known).toEqual({ until: later, by: 'Ada' });
    if (hasFeature('metrics')) {
      const metrics = readExposition((await ask(new URL('/metrics', api).href)).text);
      expect(sampleOf(metrics, 'signalbox_problems', 'level="bad"')).toBe(0);
    }
    type Incident = { event: string; known?: object };
    const incidentsNow = await ask<Incident[]>(`${api}/incidents`, { headers });
    const known = incidentsNow.body.filter((one) => 'known' in one);
    expect(known).toMatchObject([{ event: gone.event, known: { until: later, by: 'Ada' } }]);

    const groups = async () =>
      (await ask<Group[]>(`${api}/changelog?grouped=true`, { headers })).body;
    const [marked] = await groups();
    expect(marked).toMatchObject({ userName: 'Ada', summary: `Known: ${gone.message}` });
    const undo = await ask(`${api}/changelog/groups/${marked?.group}/revert`, {
      headers,
      method: 'POST',
    });
    expect([undo.status, (await find()).known]).toEqual([200, undefined]);
    expect((await groups())[0]?.summary).toBe(`No longer known: ${gone.message}`);
  });

  test('does not make a hub one that has published', async () => {
    const another = openDatabase(join(folder, 'another'));
    const store = createStore(another);
    const saying = { until: null, by: 'Ada' };
    const time = new Date();
    const plan = await knownChange([{ problem: 'a', words: 'a' }], saying)(store.load(), time);
    if ('done' in plan) throw new Error('nothing planned');
    const author = { userId: '1', userName: 'Ada', via: null };
    store.commit([{ author, plan }], time);
    expect([store.load().known.length, store.hasPublished()]).toEqual([1, false]);
    another.close();
  });

  test('is known until another time, or no longer, and is again after an undo', async () => {
    const { key } = await find();
    await know(key, { until: null });
    await know(key, { until: later });
    expect((await find()).known?.until).toBe(later);
    expect((await forget(key)).status).toBe(200);
    expect((await find()).known).toBeUndefined();
    const [last] = (await ask<{ id: number }[]>(`${api}/changelog`, { headers })).body;
    await ask(`${api}/changelog/${last?.id}/revert`, { headers, method: 'POST' });
    expect((await find()).known).toEqual({ until: later, by: 'Ada' });
    expect((await forget(key)).status).toBe(200);
    expect((await forget(key)).status).toBe(200);
  });
});

test('every event has a meaning, and a read-only token is enough', async () => {
  const { status, body } = await ask<{ event: string; meaning: string }[]>(`${api}/events`, {
    headers: reader,
  });
  expect(status).toBe(200);
  expect(body.map(({ event }) => event)).toEqual(EVENT_NAMES);
  expect(body.every(({ meaning }) => meaning.endsWith('.'))).toBe(true);
  expect((await ask(`${api}/incidents`, { headers: reader })).status).toBe(200);
});
