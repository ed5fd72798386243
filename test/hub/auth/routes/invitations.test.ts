import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inDatabase } from '../../../harness/database.ts';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';
import { type Answer, ask, freePort, signUp, temporaryFolder } from '../../../harness/stack.ts';

type Made = { id: string; url: string; role: string; expiresAt: string };
type Listed = Omit<Made, 'url'> & { email: string | null; invitedBy: string; createdAt: string };
type Body = { code?: string; field?: string; token: string; user: { id: string; role: string } };
type Headers = Record<string, string>;

const PASSWORD = 'a long passphrase';
let stack: HubAlone;
let ada: Headers;

const call = <T = Body>(method: string, path: string, headers: Headers, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });
const invite = (json: object = { role: 'editor' }, headers = ada) =>
  call<Made>('POST', '/invitations', headers, json);
const tokenOf = ({ body }: Answer<Made>) => body.url.split('#invitation=')[1] ?? '';
const accept = (invitation: string, name = 'eve', headers: Headers = {}) =>
  ask<Body>(`${stack.hub}/auth/sign-up/email`, {
    headers,
    json: { name, email: `${name}@example.org`, password: PASSWORD, invitation },
  });
const listed = async () => (await call<Listed[]>('GET', '/invitations', ada)).body;
const refusal = (answer: Answer<Body>) => [answer.status, answer.body.code];
const INVALID = [401, 'INVITATION_INVALID'];
const log = () =>
  inDatabase(stack.dataDir, (db) =>
    db
      .query<object, []>(
        "SELECT actor_name AS who, target, detail FROM security_log WHERE kind = 'invitation' ORDER BY id",
      )
      .all(),
  );

async function start(env: Record<string, string> = {}) {
  stack = await startHubAlone(env);
  ada = (await signUp(stack)).headers;
}

describe('an invitation', () => {
  beforeAll(() => start());
  afterAll(() => stack.stop());

  test.each([
    ['no role', {}, 'INVALID_REQUEST', 'role'],
    ['an unknown role', { role: 'admin' }, 'INVALID_REQUEST', 'role'],
    ['an email address that is none', { role: 'viewer', email: 'eve' }, 'INVALID_EMAIL', 'email'],
  ])('is refused with %s', async (_, json, code, field) => {
    const answer = await call('POST', '/invitations', ada, json);
    expect<unknown>([answer.status, answer.body]).toEqual([
      400,
      { code, field, message: expect.any(String) },
    ]);
  });

  test('is refused for somebody who has an account', async () => {
    const answer = await call('POST', '/invitations', ada, {
      role: 'viewer',
      email: 'ADA@example.org',
    });
    expect(refusal(answer)).toEqual([422, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL']);
    expect(await listed()).toEqual([]);
  });

  test('opens the door once, with its role, and never again', async () => {
    expect(refusal(await accept('A'.repeat(43)))).toEqual(INVALID);
    const made = await invite();
    expect(made.status).toBe(201);
    expect(Object.keys(made.body).toSorted()).toEqual(['expiresAt', 'id', 'role', 'url']);
    const origin = new URL(stack.hub).origin;
    expect(made.body.url).toMatch(new RegExp(`^${origin}/#invitation=[\\w-]{43}$`));
    const days = (Date.parse(made.body.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);

    const token = tokenOf(made);
    const other = await accept(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`);
    expect(refusal(other)).toEqual(INVALID);
    const eve = await accept(token);
    expect([eve.status, eve.body.user.role]).toEqual([200, 'editor']);
    expect(eve.headers.get('set-cookie')).toContain(eve.body.token);
    const again = await accept(token, 'cyd');
    expect(refusal(again)).toEqual(INVALID);
    expect(again.text).not.toContain(token);
    expect(await listed()).toEqual([]);
  });

  test('is kept if the sign-up is refused', async () => {
    const token = tokenOf(await invite({ role: 'viewer' }));
    const taken = await accept(token, 'ada');
    expect(refusal(taken)).toEqual([422, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL']);
    const json = { name: 'F', email: 'fay@example.org', password: 'short', invitation: token };
    const short = await ask<Body>(`${stack.hub}/auth/sign-up/email`, { json });
    expect(short.body.code).toBe('PASSWORD_TOO_SHORT');
    expect((await accept(token, 'fay')).body.user.role).toBe('viewer');
  });

  test('makes one account of two that arrive together', async () => {
    const token = tokenOf(await invite());
    const names = ['gus', 'hal', 'ivy'];
    const answers = await Promise.all(names.map((name) => accept(token, name)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
    const { body } = await call<{ name: string }[]>('GET', '/users', ada);
    expect(body.filter(({ name }) => names.includes(name)).length).toBe(1);
  });

  test('with an email address is for that one only', async () => {
    const token = tokenOf(await invite({ role: 'owner', email: ' Jon@Example.org ' }));
    expect(await listed()).toEqual([
      {
        id: expect.any(String),
        role: 'owner',
        email: 'jon@example.org',
        invitedBy: 'Ada',
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const other = await accept(token, 'kim');
    expect([...refusal(other), other.body.field]).toEqual([...INVALID, 'email']);
    expect((await accept(token, 'JON')).body.user.role).toBe('owner');
  });

  test('can be taken back, and ends after seven days', async () => {
    const made = await invite();
    const path = `/invitations/${made.body.id}`;
    expect((await call('DELETE', path, ada)).body as object).toEqual({ success: true });
    expect(refusal(await call('DELETE', path, ada))).toEqual([404, 'NOT_FOUND']);
    expect(refusal(await accept(tokenOf(made), 'lea'))).toEqual(INVALID);

    const late = await invite();
    inDatabase(stack.dataDir, (db) =>
      db.run('UPDATE invitations SET expires_at = ?', [Date.now()]),
    );
    expect(refusal(await accept(tokenOf(late), 'lea'))).toEqual(INVALID);
    expect(await listed()).toEqual([]);
  });

  test('ends with the role of the owner who made it', async () => {
    const lea = await accept(tokenOf(await invite({ role: 'owner' })), 'lea');
    const hers = { Authorization: `Bearer ${lea.body.token}` };
    const token = tokenOf(await invite({ role: 'owner' }, hers));
    const role = (name: string) =>
      call('POST', '/auth/admin/set-role', ada, { userId: lea.body.user.id, role: name });
    await role('editor');
    const none = await call('POST', '/auth/admin/set-role', ada, { userId: lea.body.user.id });
    expect([...refusal(none), none.body.field]).toEqual([400, 'VALIDATION_ERROR', 'role']);
    expect(refusal(await accept(token, 'max'))).toEqual(INVALID);
    expect(await listed()).toEqual([]);
    await role('owner');
    expect(refusal(await accept(token, 'max'))).toEqual(INVALID);
    expect((await call('DELETE', `/users/${lea.body.user.id}`, ada)).status).toBe(200);
    expect(refusal(await accept(token, 'max'))).toEqual(INVALID);
  });

  test('is made by owners only, with a fresh session and no token', async () => {
    const { body } = await call<{ token: string }>('POST', '/tokens', ada, {
      name: 'writer',
      scope: 'write',
    });
    const writer = { Authorization: `Bearer ${body.token}` };
    const eve = await ask<Body>(`${stack.hub}/auth/sign-in/email`, {
      json: { email: 'eve@example.org', password: PASSWORD },
    });
    const editor = { Authorization: `Bearer ${eve.body.token}` };
    const { id } = (await invite()).body;
    for (const [method, path, json] of [
      ['POST', '/invitations', { role: 'viewer' }],
      ['GET', '/invitations', undefined],
      ['DELETE', `/invitations/${id}`, undefined],
    ] as const) {
      expect(refusal(await call(method, path, {}, json))).toEqual([401, 'UNAUTHENTICATED']);
      expect(refusal(await call(method, path, writer, json))).toEqual([403, 'FORBIDDEN']);
      expect(refusal(await call(method, path, editor, json))).toEqual([403, 'FORBIDDEN_ROLE']);
    }
    inDatabase(stack.dataDir, (db) => db.run('UPDATE sessions SET proved_at = 0'));
    const old = await call('POST', '/invitations', ada, { role: 'viewer' });
    expect(refusal(old)).toEqual([403, 'SESSION_NOT_FRESH']);
    const remove = await call('DELETE', `/invitations/${id}`, ada);
    expect(refusal(remove)).toEqual([403, 'SESSION_NOT_FRESH']);
    expect((await listed()).length).toBe(1);
  });
});

describe('the security log and the files', () => {
  beforeAll(() => start());
  afterAll(() => stack.stop());

  test('name who made, used and removed it, and no token', async () => {
    const one = await invite({ role: 'viewer', email: 'eve@example.org' });
    await accept(tokenOf(one));
    const two = await invite({ role: 'owner' });
    await call('DELETE', `/invitations/${two.body.id}`, ada);
    expect(log()).toEqual([
      { who: 'Ada', target: 'eve@example.org', detail: 'made: viewer' },
      { who: 'eve', target: 'eve@example.org', detail: 'used: viewer' },
      { who: 'Ada', target: 'anyone', detail: 'made: owner' },
      { who: 'Ada', target: 'anyone', detail: 'removed: owner' },
    ]);
    const files = [...new Bun.Glob('signalbox.db*').scanSync(stack.dataDir)];
    const bytes = files.map((name) => Bun.file(join(stack.dataDir, name)).bytes());
    const all = Buffer.concat(await Promise.all(bytes));
    for (const token of [tokenOf(one), tokenOf(two)]) {
      expect(all.includes(token)).toBe(false);
      expect(stack.lines.join('\n')).not.toContain(token);
    }
  });
});

describe('the door', () => {
  test.each(['open', 'first'])('is refused to a wrong invitation with SIGN_UP=%s', async (door) => {
    await start({ SIGN_UP: door });
    expect(refusal(await accept('A'.repeat(43)))).toEqual(INVALID);
    await stack.stop();
  });

  test('stays shut to everybody else while somebody is invited', async () => {
    await start();
    await invite();
    const body = { name: 'X', email: 'x@example.org', password: PASSWORD };
    const others = [body, { ...body, password: 'short' }, {}, { ...body, invitation: null }];
    for (const raw of [...others.map((json) => JSON.stringify(json)), '{', 'x'.repeat(1e5)]) {
      const answer = await ask<Body>(`${stack.hub}/auth/sign-up/email`, { raw });
      expect(refusal(answer)).toEqual([403, 'SIGN_UP_CLOSED']);
    }
    await stack.stop();
  });

  test('opens with SIGN_UP=closed too, and links name the first of HUB_ORIGINS', async () => {
    const folder = temporaryFolder();
    const port = freePort();
    const env = { DATA_DIR: folder, HUB_PORT: String(port) };
    await start(env);
    const made = await invite();
    await stack.stop();
    const origins = `https://box.example:8443/, 127.0.0.1:${port}`;
    stack = await startHubAlone({ ...env, SIGN_UP: 'closed', HUB_ORIGINS: origins });
    const other = await invite();
    expect(other.body.url).toStartWith('https://box.example:8443/#invitation=');
    expect((await accept(tokenOf(made))).status).toBe(200);
    expect(refusal(await accept(tokenOf(made), 'fay'))).toEqual(INVALID);
    await stack.stop();
    rmSync(folder, { recursive: true });
  });
});
