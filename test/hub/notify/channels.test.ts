/** Channels: who may see them, what is refused, and what is kept and shown of them. */
import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ask, type Stack, signUp, startStack } from '../../harness/stack.ts';

type Channel = {
  id: number;
  code?: string;
  field?: string;
  secret?: string;
  target: Record<string, unknown>;
};

let stack: Stack;
let owner: Record<string, string>;

beforeAll(async () => {
  stack = await startStack();
  owner = (await signUp(stack)).headers;
});
afterAll(() => stack.stop());

const call = <T = Channel>(method: string, path: string, json?: unknown, headers = owner) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });

const HOOK = { name: 'Hook', kind: 'webhook', target: { url: 'https://hooks.example.org/a-path' } };
const NTFY = {
  name: 'Phone',
  kind: 'ntfy',
  target: { url: 'https://ntfy.example.org', topic: 'a-topic', token: 'tk_a_token' },
};
const GOTIFY = {
  name: 'Gotify',
  kind: 'gotify',
  target: { url: 'https://gotify.example.org/a-path', token: 'another-token' },
};
const MAIL = {
  name: 'Mail',
  kind: 'smtp',
  target: {
    host: 'mail.example.org',
    user: 'ada-user@example.org',
    password: 'a long passphrase',
    from: 'from-hub@example.org',
    to: 'to-ada@example.org',
  },
};
const ALL = [HOOK, NTFY, GOTIFY, MAIL];
/** Of the targets above; none may be in any answer. */
const SECRETS =
  /a-path|a-topic|tk_a_token|another-token|ada-user|long passphrase|from-hub|to-ada|a-secret/;

const ROUTES = [
  ['GET', '/channels'],
  ['POST', '/channels'],
  ['GET', '/channels/1'],
  ['PUT', '/channels/1'],
  ['DELETE', '/channels/1'],
  ['POST', '/channels/1/test'],
  ['GET', '/deliveries'],
] as const;

describe('nobody gets near the channels', () => {
  test.each(ROUTES)('%s %s: without a session', async (method, path) => {
    const raw = method === 'GET' ? {} : { raw: '{' };
    const answer = await ask<Channel>(`${stack.hub}${path}`, { method, ...raw });
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  test.each(ROUTES)('%s %s: with an API token', async (method, path) => {
    const made = await call<{ token: string }>('POST', '/tokens', { name: 'x', scope: 'write' });
    const headers = { Authorization: `Bearer ${made.body.token}` };
    const raw = method === 'GET' ? {} : { raw: '{' };
    const answer = await ask<Channel>(`${stack.hub}${path}`, { method, headers, ...raw });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('from another website', async () => {
    const Cookie = `signalbox_session=${owner.Authorization?.slice('Bearer '.length)}`;
    const headers = { Cookie, Origin: 'https://evil.example' };
    const answer = await call('POST', '/channels', HOOK, headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
    expect((await call<Channel[]>('GET', '/channels')).body).toEqual([]);
  });
});

const hook = (target: object) => ({ ...HOOK, target: { ...HOOK.target, ...target } });
const ntfy = (target: object) => ({ ...NTFY, target: { ...NTFY.target, ...target } });
const mail = (target: object) => ({ ...MAIL, target: { ...MAIL.target, ...target } });
const quiet = (hours: object) => ({
  ...HOOK,
  quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin', ...hours },
});

const REFUSED: [string, string, object][] = [
  ['without a name', 'name', { ...HOOK, name: ' ' }],
  ['a name that is too long', 'name', { ...HOOK, name: 'x'.repeat(61) }],
  ['a name with a line break', 'name', { ...HOOK, name: 'a\r\nBcc: b' }],
  ['an unknown kind', 'kind', { ...HOOK, kind: 'pager' }],
  ['no kind', 'kind', { name: 'x', target: HOOK.target }],
  ['an unknown event', 'events.0', { ...HOOK, events: ['nothing'] }],
  ['no target', 'target', { name: 'x', kind: 'webhook' }],
  ['a target that is text', 'target.0', { ...HOOK, target: 'x' }],
  ['a target that is a list', 'target.0', { ...HOOK, target: [HOOK.target] }],
  ['an unknown field', 'target.path', hook({ path: '/a-path' })],
  ['an address of a file', 'target.url', hook({ url: 'file:///etc/passwd' })],
  ['an address with credentials', 'target.url', hook({ url: 'https://a:b@c.example/' })],
  ['an address with a fragment', 'target.url', hook({ url: 'https://c.example/#a' })],
  ['an address with a line break', 'target.url', hook({ url: 'https://c.example/\r\nX: y' })],
  ['an address with a space', 'target.url', hook({ url: 'https://c.example/ ' })],
  ['no address', 'target.url', hook({ url: 'c.example' })],
  ['a mask for an address', 'target.url', hook({ url: 'https://c.example/***' })],
  ['a short secret', 'target.secret', hook({ secret: 'x'.repeat(15) })],
  ['a mask for a secret', 'target.secret', hook({ secret: '*'.repeat(20) })],
  ['a field of another kind', 'target.topic', hook({ topic: 'x' })],
  ['an ntfy server with a query', 'target.url', ntfy({ url: 'https://c.example/?a=b' })],
  ['a topic with a path', 'target.topic', ntfy({ topic: '../x' })],
  ['a topic with a line break', 'target.topic', ntfy({ topic: 'x\n' })],
  ['no topic', 'target.topic', ntfy({ topic: null })],
  ['a token with a line break', 'target.token', ntfy({ token: 'a\nX-Other: b' })],
  ['a token that is no text', 'target.token', ntfy({ token: 1 })],
  ['no token', 'target.token', { ...GOTIFY, target: { url: GOTIFY.target.url } }],
  ['a host with a port', 'target.host', mail({ host: 'a.example:25' })],
  ['a host with a line break', 'target.host', mail({ host: 'a.example\r\n' })],
  ['no port', 'target.port', mail({ port: 0 })],
  ['an unknown security', 'target.security', mail({ security: 'ssl' })],
  ['a user without a password', 'target.password', mail({ password: null })],
  ['a password without a user', 'target.user', mail({ user: null })],
  ['a user with a line break', 'target.user', mail({ user: 'a\r\nb' })],
  [
    'a sender with another header',
    'target.from',
    mail({ from: 'a@b.example\r\nBcc: c@d.example' }),
  ],
  ['a recipient that ends in a line', 'target.to', mail({ to: 'a@b.example\n' })],
  ['a recipient with a name', 'target.to', mail({ to: 'A <a@b.example>' })],
  ['two recipients', 'target.to', mail({ to: 'a@b.example, c@d.example' })],
  ['quiet hours without an end', 'quiet.to', quiet({ to: '24:00' })],
  ['quiet hours at no time', 'quiet.to', quiet({ to: '22:00' })],
  ['quiet hours at an odd time', 'quiet.from', quiet({ from: '7:00' })],
  ['an unknown time zone', 'quiet.timeZone', quiet({ timeZone: 'Europe/Nowhere' })],
  ['an offset for a time zone', 'quiet.timeZone', quiet({ timeZone: '+02:00' })],
];

describe('a channel is not created', () => {
  test.each(REFUSED)('with %s', async (_, field, json) => {
    const { status, body, text } = await call('POST', '/channels', json);
    expect([status, body.code, body.field]).toEqual([400, 'INVALID_REQUEST', field]);
    expect(text).not.toMatch(SECRETS);
    expect((await call<Channel[]>('GET', '/channels')).body).toEqual([]);
  });

  test('as the 21st', async () => {
    const made = await Promise.all(
      Array.from({ length: 25 }, () => call('POST', '/channels', HOOK)),
    );
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 5 }, () => [400, 'INVALID_REQUEST']),
    );
    for (const { body } of made) if (body.id) await call('DELETE', `/channels/${body.id}`);
    expect((await call<Channel[]>('GET', '/channels')).body).toEqual([]);
  });
});

describe('a channel', () => {
  afterEach(async () => {
    for (const { id } of (await call<Channel[]>('GET', '/channels')).body) {
      await call('DELETE', `/channels/${id}`);
    }
  });
  const create = async (json: object) => (await call('POST', '/channels', json)).body;
  const stored = (id: number) => {
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    const row = db.query('SELECT target FROM channels WHERE id = ?').get(id) as { target: string };
    db.close();
    return JSON.parse(row.target);
  };

  test.each(ALL)('$kind: is shown without its secrets', async (json) => {
    const made = await call('POST', '/channels', { ...json, events: ['drift', 'drift'] });
    expect(made.status).toBe(201);
    const { secret, ...body } = made.body;
    expect(body).toMatchObject({ name: json.name, kind: json.kind, events: ['drift'] });
    expect(body).toMatchObject({ enabled: true, quiet: null, waiting: 0, failing: null });
    expect(secret === undefined).toBe(json.kind !== 'webhook');
    const path = `/channels/${body.id}`;
    expect((await call('GET', path)).body as unknown).toEqual(body);
    expect((await call<unknown[]>('GET', '/channels')).body).toContainEqual(body);
    for (const { text } of [made, await call('GET', path), await call('GET', '/export')]) {
      expect(text).not.toMatch(SECRETS);
    }
    await call('DELETE', path);
  });

  test('cannot become one of another kind', async () => {
    const { id } = await create(HOOK);
    const { status, body } = await call('PUT', `/channels/${id}`, { kind: 'ntfy' });
    expect([status, body.field]).toEqual([400, 'kind']);
    expect((await call('PUT', `/channels/${id}`, { kind: 'pager' })).body.field).toBe('kind');
  });

  test('masks of a target', async () => {
    const targets = await Promise.all(ALL.map(async (json) => (await create(json)).target));
    expect(targets).toEqual([
      { url: 'https://hooks.example.org/***', secret: '***' },
      { url: 'https://ntfy.example.org/***', topic: '***', token: '***' },
      { url: 'https://gotify.example.org/***', token: '***' },
      {
        host: 'mail.example.org',
        user: 'a***@example.org',
        password: '***',
        from: 'f***@example.org',
        to: 't***@example.org',
      },
    ]);
  });

  test('a secret that the hub made is shown once, one that was given never', async () => {
    const made = await create(HOOK);
    expect(made.secret).toMatch(/^[\w-]{43}$/);
    expect(stored(made.id).secret).toBe(made.secret);
    const again = await call('GET', `/channels/${made.id}`);
    expect(again.text).not.toContain(made.secret ?? '');
    const given = await call('POST', '/channels', hook({ secret: 'a-secret-of-mine' }));
    expect(given.body.secret).toBeUndefined();
    expect(given.text).not.toMatch(SECRETS);
  });

  test('keeps what a change leaves out, or sends back as it is shown', async () => {
    for (const json of ALL) {
      const { id, target } = await create(json);
      const before = stored(id);
      const put = await call('PUT', `/channels/${id}`, { name: 'Other', target });
      expect([put.status, put.body.target]).toEqual([200, target]);
      expect((await call('PUT', `/channels/${id}`, { target: {} })).status).toBe(200);
      expect((await call('PUT', `/channels/${id}`, {})).status).toBe(200);
      expect((await call('PUT', `/channels/${id}`, { kind: json.kind })).status).toBe(200);
      expect(stored(id)).toEqual(before);
      const { body } = await call('GET', `/channels/${id}`);
      expect(body).toMatchObject({ name: 'Other', kind: json.kind });
    }
  });

  test.each([
    ['ntfy', NTFY, { url: 'https://evil.example' }, 'target.topic'],
    ['ntfy without encryption', NTFY, { url: 'http://ntfy.example.org' }, 'target.topic'],
    ['Gotify', GOTIFY, { url: 'https://gotify.example.org:8443' }, 'target.token'],
    ['email', MAIL, { host: 'evil.example' }, 'target.user'],
    ['email without encryption', MAIL, { security: 'none' }, 'target.user'],
  ])('%s: its credentials do not go elsewhere', async (_, json, target, field) => {
    const made = await create(json);
    const before = stored(made.id);
    for (const given of [target, { ...made.target, ...target }]) {
      const { status, body } = await call('PUT', `/channels/${made.id}`, { target: given });
      expect([status, body.field]).toEqual([400, field]);
    }
    expect(stored(made.id)).toEqual(before);
    const put = await call('PUT', `/channels/${made.id}`, {
      target: { ...json.target, ...target },
    });
    expect(put.status).toBe(200);
    expect(stored(made.id)).toEqual({ ...json.target, ...target });
  });

  test('takes new values, and loses optional ones', async () => {
    const { id } = await create({ ...NTFY, events: ['drift'], quiet: quiet({}).quiet });
    const put = (json: object) => call('PUT', `/channels/${id}`, json);
    const topic = { target: { topic: 'other', token: null } };
    expect((await put({ ...topic, events: [], quiet: null, enabled: false })).body).toMatchObject({
      target: { url: 'https://ntfy.example.org/***', topic: '***' },
      ...{ events: [], quiet: null, enabled: false },
    });
    expect(stored(id)).toEqual({ url: NTFY.target.url, topic: 'other' });
    const mail = await create(MAIL);
    const without = { target: { user: null, password: null } };
    expect((await call('PUT', `/channels/${mail.id}`, without)).status).toBe(200);
    expect(Object.keys(stored(mail.id))).toEqual(['host', 'from', 'to']);
  });

  test('that there is not', async () => {
    for (const [method, path] of [
      ['GET', '/channels/999'],
      ['PUT', '/channels/999'],
      ['DELETE', '/channels/x'],
      ['POST', '/channels/999/test'],
    ] as const) {
      const json = method === 'PUT' ? {} : undefined;
      expect([path, (await call(method, path, json)).status]).toEqual([path, 404]);
    }
  });
});
