// proof: hub
/** Who signed in, who was refused and who changed who may do what: recorded with what it records. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordSecurity } from '../../../src/hub/auth/security-log.ts';
import { securityLog } from '../../../src/hub/db/accounts-schema.ts';
import { inDatabase, startDatabase } from '../../harness/database.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { forEachTest } from '../../harness/for-tests.ts';
import { some } from '../../harness/full.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, until } from '../../harness/stack.ts';

type Entry = {
  id: number;
  at: string;
  kind: string;
  actor: string | null;
  actorName: string;
  target: string;
  outcome: string;
  detail: string;
  via: string | null;
};
type SignIn = { email: string; userId: string | null; method: string; outcome: string };
type Headers = Record<string, string>;
type Session = { id: string; current: boolean };

const PASSWORD = 'a long passphrase';
const BOB = 'bob@example.org';
const hub = await forFile(startHubAlone({ TRUST_PROXY: 'true' }));
let owner: Headers;
let ownerId: string;
let bob: { id: string };

const call = <T>(method: string, path: string, json?: unknown, headers = owner) =>
  ask<T>(`${hub.hub}${path}`, { method, headers, ...(json !== undefined && { json }) });
const log = async (query = '') => (await call<Entry[]>('GET', `/security-log${query}`)).body;
const latest = async () => (await log())[0];
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
const signIn = (email: string, password = PASSWORD, headers: Headers = {}) =>
  call<{ token: string }>('POST', '/auth/sign-in/email', { email, password }, headers);

/** The owner's proof is old. */
const forgetProof = () =>
  inDatabase(hub.dataDir, (db) =>
    db.run('UPDATE sessions SET proved_at = 0 WHERE user_id = ?', [ownerId]),
  );

beforeAll(async () => {
  const setupCode = readFileSync(join(hub.dataDir, 'setup-code'), 'utf8').trim();
  const ada = { name: 'Ada', email: 'ada@example.org', password: PASSWORD, setupCode };
  const made = await call<{ token: string; user: { id: string } }>(
    ...(['POST', '/auth/sign-up/email', ada, {}] as const),
  );
  owner = bearer(made.body.token);
  ownerId = made.body.user.id;
  const json = { name: 'Bob', email: BOB, password: PASSWORD, role: 'editor' };
  bob = (await call<{ id: string }>('POST', '/users', json)).body;
});

describe('sign-ins', () => {
  test('are recorded however they end; nothing of a password is', async () => {
    const from = { 'X-Forwarded-For': '192.0.2.9', 'User-Agent': 'test/1' };
    await signIn(BOB, 'not the passphrase', from);
    await signIn('nobody@example.org', 'not the passphrase', from);
    await signIn(BOB, PASSWORD, from);
    const { body } = await call<SignIn[]>('GET', '/sign-ins');
    expect(body.slice(0, 3)).toEqual([
      expect.objectContaining({ email: BOB, userId: bob.id, method: 'password', outcome: 'ok' }),
      expect.objectContaining({ email: 'nobody@example.org', userId: null, outcome: 'refused' }),
      expect.objectContaining({ email: BOB, userId: bob.id, outcome: 'refused' }),
    ]);
    expect(body[0]).toMatchObject({ ip: '192.0.2.9', userAgent: 'test/1' });
    expect(JSON.stringify(await log())).not.toContain('passphrase');
  });

  test('a flood of refusals is one entry a minute', async () => {
    const from = { 'X-Forwarded-For': '192.0.2.10', 'User-Agent': 'x'.repeat(2000) };
    for (let i = 0; i < 15; i++) await signIn('flood@example.org', 'wrong', from);
    const entries = (await log('?kind=sign-in')).filter((one) => one.target.startsWith('flood'));
    expect(entries.filter(({ outcome }) => outcome === 'locked')).toHaveLength(1);
    expect(entries.filter(({ outcome }) => outcome === 'refused')).toHaveLength(10);
    expect(JSON.stringify(entries)).not.toContain('x'.repeat(513));
  });

  test('a refused one is a line of the log that the filter for fail2ban finds', async () => {
    const docs = readFileSync(join(import.meta.dir, '../../../docs/bans.md'), 'utf8');
    const found = /^failregex = (event=.*)$/m.exec(docs)?.[1] ?? '';
    const filter = new RegExp(found.replace('<ADDR>', '(?<host>[\\d.]+|[\\da-f:]+)'));
    const matches = () => hub.lines.flatMap((line) => filter.exec(line)?.groups?.host ?? []);
    const before = matches().length;
    // Who puts another address into the account bans nobody else.
    const odd = 'ip=198.51.100.1@example.org';
    for (const ip of ['192.0.2.11', '2001:db8::11']) {
      await signIn(odd, 'wrong', { 'X-Forwarded-For': ip });
      await signIn(`a\u0007b@${'x'.repeat(300)}`, 'wrong', { 'X-Forwarded-For': ip });
      await signIn(BOB, PASSWORD, { 'X-Forwarded-For': ip });
    }
    expect(matches().slice(before)).toEqual(['192.0.2.11', '2001:db8::11']);
    expect(hub.lines.findLast((line) => filter.test(line))).toContain('198.51.100.1@example.org');
  });

  test('and so are sign-outs', async () => {
    const { token } = (await signIn(BOB)).body;
    await call('POST', '/auth/sign-out', undefined, bearer(token));
    expect(await latest()).toMatchObject({ kind: 'sign-out', actor: bob.id, target: BOB });
  });
});

test('what changes who may do what is recorded', async () => {
  const made = await call<{ id: string; token: string }>('POST', '/tokens', { name: 'backup' });
  expect(await latest()).toMatchObject({
    kind: 'token',
    actor: ownerId,
    target: 'backup',
    detail: 'created: read',
  });
  await call('DELETE', `/tokens/${made.body.id}`);
  expect(await latest()).toMatchObject({ kind: 'token', target: 'backup', detail: 'deleted' });
  const target = { url: 'http://127.0.0.1:1/hook' };
  const json = { name: 'Hook', kind: 'webhook', target };
  const { body: channel } = await call<{ id: number }>('POST', '/channels', json);
  expect(await latest()).toMatchObject({ kind: 'channel', target: 'Hook', detail: 'created' });
  await call('PUT', `/channels/${channel.id}`, { name: 'Hooks' });
  expect(await latest()).toMatchObject({ kind: 'channel', target: 'Hooks', detail: 'changed' });
  await call('DELETE', `/channels/${channel.id}`);
  expect(await latest()).toMatchObject({ kind: 'channel', target: 'Hooks', detail: 'deleted' });
  const cyd = { name: 'Cyd', email: 'cyd@example.org', password: PASSWORD };
  const { body: user } = await call<{ id: string }>('POST', '/users', cyd);
  expect(await latest()).toMatchObject({
    kind: 'account',
    actor: ownerId,
    target: cyd.email,
    detail: 'created: viewer',
  });
  await call('POST', '/auth/admin/set-role', { userId: user.id, role: 'editor' });
  expect(await latest()).toMatchObject({ kind: 'role', target: cyd.email, detail: 'editor' });
  await call('DELETE', `/users/${user.id}`);
  expect(await latest()).toMatchObject({ kind: 'account', target: cyd.email, detail: 'deleted' });
  const exported = (await call('GET', '/export')).body;
  await call('POST', '/restore?replace=true', exported);
  const [restored] = await log('?kind=restore');
  // Without an agent, nothing is restored, and nothing is recorded either.
  expect(restored).toBeUndefined();
});

test('a password change is recorded, and so is a wrong current password', async () => {
  const { token } = (await signIn(BOB)).body;
  const change = (currentPassword: string) =>
    call(
      ...(['POST', '/auth/change-password'] as const),
      ...([{ currentPassword, newPassword: PASSWORD }, bearer(token)] as const),
    );
  await change('wrong');
  expect(await latest()).toMatchObject({ kind: 'password', target: BOB, outcome: 'refused' });
  await change(PASSWORD);
  expect(await latest()).toMatchObject({ kind: 'password', target: BOB, outcome: 'ok' });
});

test('a refusal is recorded once a minute for each route', async () => {
  const { token } = (await signIn(BOB)).body;
  for (let i = 0; i < 3; i++) await call('GET', '/users', undefined, bearer(token));
  const found = (await log('?kind=refusal')).filter(({ target }) => target === 'GET /api/users');
  expect(found).toEqual([
    expect.objectContaining({ actor: bob.id, outcome: 'refused', detail: 'FORBIDDEN_ROLE' }),
  ]);
});

describe('sessions of others', () => {
  test('are listed, and ended only after a proof', async () => {
    const { token } = (await signIn(BOB)).body;
    const { body } = await call<Session[]>('GET', `/sessions?user=${bob.id}`);
    expect(body.every(({ current }) => !current)).toBe(true);
    expect((await call('GET', '/sessions?user=nobody')).status).toBe(404);
    const mine = (await call<Session[]>('GET', '/sessions', undefined, bearer(token))).body;
    const id = mine.find(({ current }) => current)?.id;
    forgetProof();
    const end = () => call<{ code: string }>('DELETE', `/sessions/${id}`);
    expect((await end()).body.code).toBe('SESSION_NOT_FRESH');
    expect((await call('GET', '/sessions', undefined, bearer(token))).status).toBe(200);
    await call('POST', '/auth/prove', { password: PASSWORD });
    expect((await end()).status).toBe(200);
    expect((await call('GET', '/sessions', undefined, bearer(token))).status).toBe(401);
    expect(await latest()).toMatchObject({ kind: 'session', actor: ownerId, target: BOB });
  });

  test('sign somebody up only after a proof, and are recorded as who did', async () => {
    const eve = { name: 'Eve', email: 'eve@example.org', password: PASSWORD, role: 'owner' };
    forgetProof();
    const signUp = () => call<{ code: string }>('POST', '/auth/sign-up/email', eve);
    expect((await signUp()).body.code).toBe('SESSION_NOT_FRESH');
    await call('POST', '/auth/prove', { password: PASSWORD });
    expect(await signUp()).toMatchObject({ status: 200, body: { user: { role: 'editor' } } });
    expect(await latest()).toMatchObject({
      kind: 'account',
      actor: ownerId,
      target: eve.email,
      detail: 'created: editor',
    });
  });
});

describe('messages', () => {
  const received: { event: string; about: string; message: string }[] = [];
  const hook = serverForFile(async (request) => {
    const { messages = [], ...one } = (await request.json()) as Record<string, never[]>;
    received.push(...((messages.length > 0 ? messages : [one]) as never[]));
    return new Response('');
  });
  const add = (name: string, events: string[]) =>
    call('POST', '/channels', {
      name,
      kind: 'webhook',
      target: { url: `http://127.0.0.1:${hook.port}/${name}` },
      events,
    });
  const deliveries = async () =>
    (
      await call<{ channel: { name: string }; event: string; about: string }[]>(
        'GET',
        '/deliveries',
      )
    ).body;

  test('about accounts reach the channels that name them, and no other', async () => {
    await add('all', []);
    await add('wants', ['sign-in.new-address', 'account.changed']);
    await signIn(BOB, PASSWORD, { 'X-Forwarded-For': '198.51.100.20' });
    await signIn(BOB, PASSWORD, { 'X-Forwarded-For': '198.51.100.20' });
    await signIn(BOB, 'wrong', { 'X-Forwarded-For': '198.51.100.21' });
    const dan = { name: 'Dan', email: 'dan@example.org', password: PASSWORD };
    await call('POST', '/users', dan);
    // The first sign-in of an account.
    await signIn(dan.email, PASSWORD, { 'X-Forwarded-For': '198.51.100.22' });
    const found = await deliveries();
    expect(found.map(({ channel, event, about }) => [channel.name, event, about])).toEqual([
      ['wants', 'account.changed', dan.email],
      ['wants', 'sign-in.new-address', BOB],
    ]);
    await until(() => received.length >= 2, 'both messages');
    expect(JSON.stringify(received)).toContain('198.51.100.20');
  });
});

describe('the log', () => {
  const database = forEachTest(startDatabase);

  test('is for owners, also by their tokens', async () => {
    const made = await call<{ token: string }>('POST', '/tokens', { name: 'siem' });
    const as = bearer(made.body.token);
    expect((await call('GET', '/security-log', undefined, as)).status).toBe(200);
    const { token } = (await signIn(BOB)).body;
    for (const path of ['/security-log', '/sign-ins']) {
      expect((await call('GET', path, undefined, bearer(token))).status).toBe(403);
      expect((await call('GET', `${path}?before=x`)).status).toBe(400);
    }
    expect((await call('GET', '/security-log?kind=x')).status).toBe(400);
  });

  test('is read in pages of 50, by id or by time', async () => {
    const insert = `INSERT INTO security_log (at, kind, actor_name, target, ip, user_agent, outcome, detail)
      VALUES (?, 'agent', 'x', 'x', '', '', 'ok', '')`;
    inDatabase(hub.dataDir, (db) => {
      for (let i = 0; i < 60; i++) db.run(insert, [1_000 + i]);
    });
    const first = await log('?kind=agent');
    expect(first).toHaveLength(50);
    for (const before of [String(first[49]?.id), first[49]?.at]) {
      expect(await log(`?kind=agent&before=${before}`)).toHaveLength(10);
    }
  });

  test('has 10,000 entries at most, and none older than a year', async () => {
    const { db } = database;
    const day = 24 * 60 * 60 * 1000;
    const at = Date.parse('2026-11-20T18:00:00.000Z');
    const actor = { user: { id: null, name: 'x' }, via: null, client: { ip: '', userAgent: '' } };
    const rows = () => db.$count(securityLog);
    const record = (time: number) => recordSecurity(db, new Date(time), actor, { kind: 'agent' });
    record(at - 366 * day);
    record(at - 364 * day);
    record(at);
    expect(await rows()).toBe(2);
    db.transaction(() => {
      for (let i = 0; i < 10_050; i++) record(at);
    });
    expect(await rows()).toBeLessThanOrEqual(10_000);
    expect(await rows()).toBeGreaterThan(9_700);
  });

  test('loses nothing of an owner to many more entries of a viewer and of strangers', () => {
    const { db } = database;
    const at = new Date('2026-11-20T18:00:00.000Z');
    const by = (id: string | null) => ({
      user: { id, name: id ?? 'nobody' },
      via: null,
      client: { ip: '192.0.2.1', userAgent: '' },
    });
    const owned = [
      { kind: 'role', target: 'eve' },
      { kind: 'account', target: 'eve', detail: 'created: owner' },
      { kind: 'sign-in', target: 'ada' },
      { kind: 'token', target: 'backup' },
    ] as const;
    // Of each; the log has room for 10,000.
    const OTHERS = some(8_000, 25_000);
    db.transaction((tx) => {
      for (const event of owned) recordSecurity(tx, at, by('ada'), event);
      for (let n = 0; n < OTHERS; n++) {
        recordSecurity(tx, at, by('viewer'), { kind: 'token', target: `t${n}` });
        // As the owner, whose password they do not know.
        const guess = { kind: 'sign-in', target: 'ada', outcome: 'refused' } as const;
        recordSecurity(tx, at, by(null), guess);
      }
    });
    const left = db.select().from(securityLog).all();
    expect(left.length).toBeLessThanOrEqual(10_000);
    const ofAda = left.filter(({ actor }) => actor === 'ada');
    expect(ofAda.map(({ kind, target }) => ({ kind, target }))).toEqual(
      owned.map(({ kind, target }) => ({ kind, target })),
    );
    // Those who fill it keep the newest of theirs.
    expect(left.at(-2)?.target).toBe(`t${OTHERS - 1}`);
  });
});
