/** `/doors` and `/doors/close`: who may ask, who came, what is proposed, and closing, with its undo. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DoorView } from '../../../src/features/doors/schemas.ts';
import { inDatabase } from '../../harness/database.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { limit } from '../../harness/speed.ts';
import { ask } from '../../harness/stack.ts';

setDefaultTimeout(limit(60_000));
type Closed = Body & {
  policy: string;
  isNew: boolean;
  vhosts: number[];
  group?: number;
  replay?: string;
};

const owner = await forFile(startOwner({ UPSTREAM_PROBE: 'false' }));
const close = (body: object) => owner.call<Closed>('POST', '/doors/close', body);
const doors = async (query = '') => (await owner.call<DoorView[]>('GET', `/doors${query}`)).body;
const doorOf = async (name: string, query = '') =>
  (await doors(query)).find(({ domain }) => domain === `http://${name}.example`);

const DAY_S = 86_400;
const now = Date.now() / 1_000;

/** A line of Caddy's log. */
const line = (host: string, ip: string, ago: number, more: object = {}) =>
  `${JSON.stringify({
    level: 'info',
    ts: now - ago * DAY_S,
    logger: 'http.log.access',
    msg: 'handled request',
    request: {
      remote_ip: ip,
      remote_port: '1',
      proto: 'HTTP/1.1',
      method: 'GET',
      host: `${host}.example`,
      uri: '/seen?q=1',
      headers: {},
    },
    user_id: '',
    duration: 0.001,
    size: 1,
    status: 200,
    resp_headers: {},
    ...more,
  })}\n`;

let home: Body;
let known: Body;
beforeAll(async () => {
  const { accessLog } = owner.stack;
  mkdirSync(dirname(accessLog), { recursive: true });
  appendFileSync(
    accessLog,
    [
      line('home', '192.168.1.2', 80),
      line('known', '203.0.113.5', 79),
      line('home', '192.168.1.2', 2, { user_id: 'ada' }),
      line('home', 'fd00::2', 1),
      line('home', '203.0.113.9', 1, { status: 403 }),
      line('known', '192.168.1.2', 1),
    ].join(''),
  );
  [home, known] = [await owner.create('home'), await owner.create('known')];
});

test('a Caddyfile that Caddy refuses is named, and no change, since nobody asked for one', async () => {
  const { proxyfile } = owner.stack;
  const whole = owner.stack.readProxyfile();
  writeFileSync(proxyfile, 'http://home.example {\n\tno_such_directive\n}\n');
  const { status, body } = await owner.call('GET', '/doors');
  writeFileSync(proxyfile, whole);
  expect([status, body.code, body.message]).toEqual([
    502,
    'PROXY_REJECTED',
    'Who gets in is unknown, because Caddy refuses the Caddyfile.',
  ]);
  expect(body.detail).toContain('no_such_directive');
});

describe('refused, with nothing changed:', () => {
  test.each<[string, object, number, string]>([
    ['no site', { vhosts: [] }, 400, 'INVALID_REQUEST'],
    ['a site that is not there', { vhosts: [999] }, 404, 'NOT_FOUND'],
    ['a policy that is not there', { vhosts: [1], policy: 'none' }, 400, 'INVALID_REQUEST'],
  ])('%s', async (_, body, status, code) => {
    const before = await owner.everything();
    for (const dryRun of [true, false]) {
      const refused = await close({ ...body, dryRun });
      expect([refused.status, refused.body.code]).toEqual([status, code]);
    }
    expect(await owner.everything()).toEqual(before);
  });

  test.each(['0', '91', 'x'])('%s days', async (days) => {
    const refused = await owner.call('GET', `/doors?days=${days}`);
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  test('viewers, and tokens that may only read', async () => {
    const account = { name: 'v', email: 'v@example.org', password: 'a long passphrase' };
    await owner.call('POST', '/users', { ...account, role: 'viewer' });
    const { body: session } = await ask<{ token: string }>(
      `${owner.stack.hub}/auth/sign-in/email`,
      { json: account },
    );
    const { body: reading } = await owner.call<{ token: string }>('POST', '/tokens', {
      name: 'reads',
      scope: 'read',
    });
    const statusOf = async (token: string, path: string, json?: object) => {
      const headers = { Authorization: `Bearer ${token}` };
      const { status, text } = await ask(`${owner.stack.hub}${path}`, { headers, json });
      if (status !== 200) expect(text).not.toContain('home.example');
      return status;
    };
    const body = { vhosts: [home.id] };
    expect(await statusOf(session.token, '/doors')).toBe(403);
    expect(await statusOf(session.token, '/doors/close', body)).toBe(403);
    expect(await statusOf(reading.token, '/doors/close', body)).toBe(403);
    expect(await statusOf(reading.token, '/doors')).toBe(200);
    expect((await ask(`${owner.stack.hub}/doors`)).status).toBe(401);
  });
});

describe('who came', () => {
  test('is counted by address, and whether they were let in', async () => {
    expect((await doorOf('home'))?.came).toEqual({
      home: 2,
      outside: 0,
      signedIn: 1,
      refused: 1,
      last: new Date(Math.floor((now - DAY_S) * 1_000)).toISOString(),
    });
    expect((await doorOf('known'))?.came).toMatchObject({ home: 1, outside: 1, refused: 0 });
    expect((await doorOf('known', '?days=3'))?.came).toMatchObject({ home: 1, outside: 0 });
  });

  test('is known whatever hosts strangers invent', async () => {
    const invented = Array.from({ length: 5_001 }, (_, at) => line(`x${at}`, '203.0.113.9', 0.5));
    appendFileSync(owner.stack.accessLog, invented.join(''));
    expect((await doorOf('home', '?days=80'))?.came).toMatchObject({ home: 2, refused: 1 });
  });

  test('proposes nothing for a site that is too new to know', async () => {
    expect((await doors()).map(({ proposal }) => proposal)).toEqual([null, null]);
  });

  test('proposes to close one that is old enough, and that only home has used', async () => {
    await owner.stack.restart(() =>
      inDatabase(owner.stack.dataDir, (db) =>
        db.run('UPDATE vhosts SET created_at = ?', [(now - 31 * DAY_S) * 1_000]),
      ),
    );
    const all = (await doors()).map(({ vhost, proposal }) => [vhost, proposal]);
    expect(all).toEqual([
      [home.id, { policy: null, operation: { vhosts: [home.id] } }],
      [known.id, null],
    ]);
  });
});

describe('closing', () => {
  test('is rehearsed with a replay, and changes nothing then', async () => {
    const before = await owner.everything();
    const { status, body } = await close({ vhosts: [home.id, known.id], dryRun: true });
    expect([status, body.policy, body.isNew]).toEqual([200, 'home-only', true]);
    expect(body.vhosts).toEqual([home.id, known.id]);
    const replay = await owner.call('GET', `/replays/${body.replay}`);
    expect(replay.status).toBe(200);
    expect(await owner.everything()).toEqual(before);
    await owner.call('DELETE', `/replays/${body.replay}`);
  });

  test('is one change, which one undo takes back', async () => {
    const done = await close({ vhosts: [home.id, known.id, home.id] });
    expect([done.status, done.body.policy, done.body.isNew]).toEqual([200, 'home-only', true]);
    expect(owner.stack.readProxyfile()).toContain('outside');
    const { body: groups } = await owner.call<{ group: number }[]>(
      'GET',
      '/changelog?grouped=true',
    );
    expect(groups[0]?.group).toBe(done.body.group as number);
    const again = await close({ vhosts: [home.id] });
    expect([again.body.vhosts, again.body.group, again.body.isNew]).toEqual([[], undefined, false]);
    await owner.call('POST', `/changelog/groups/${done.body.group}/revert`);
    expect(owner.stack.readProxyfile()).not.toContain('outside');
    expect((await owner.call<object[]>('GET', '/policies')).body).toEqual([]);
  });

  test('takes the policy that lets in private networks, or the one that is named', async () => {
    const lan = { name: 'lan', recipe: 'allow', values: { networks: ['private_ranges'] } };
    const other = { name: 'other', recipe: 'block', values: { networks: ['203.0.113.0/24'] } };
    for (const policy of [other, lan]) await owner.call('POST', '/policies', policy);
    const done = await close({ vhosts: [home.id] });
    expect([done.body.policy, done.body.isNew]).toEqual(['lan', false]);
    await close({ vhosts: [home.id], policy: 'other' });
    expect((await doorOf('home'))?.by).toEqual(['other', 'lan']);
  });
});
