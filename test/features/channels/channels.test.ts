/** What is kept and shown of a channel. */
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createChannels } from '../../../src/features/channels/channels.ts';
import { openBeside } from '../../../src/hub/db/open.ts';
import { createSealing } from '../../../src/hub/db/sealing.ts';
import { type Channel, hubForChannels } from './channel-hub.ts';
import {
  ALL,
  APPRISE,
  GOTIFY,
  HOOK,
  hook,
  MAIL,
  NTFY,
  quiet,
  SECRETS,
  TELEGRAM,
} from './samples.ts';

const { stack, call } = await hubForChannels();

describe('a channel', () => {
  afterEach(async () => {
    for (const { id } of (await call<Channel[]>('GET', '/channels')).body) {
      await call('DELETE', `/channels/${id}`);
    }
  });
  const create = async (json: object) => (await call('POST', '/channels', json)).body;
  const stored = (id: number) => {
    const { db, close } = openBeside(stack.dataDir);
    const sealing = createSealing(db, join(stack.dataDir, 'secret-key'));
    const target = createChannels({ db, sealing, now: () => new Date() })
      .get(id)
      .target();
    close();
    return target;
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
      { url: 'https://discord.example/***' },
      { url: 'https://telegram.example.org/***', token: '***', chat: '***' },
      { url: 'https://slack.example.org/***' },
      { url: 'https://apprise.example.org/***', key: '***', urls: '***' },
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
    ['Telegram', TELEGRAM, { url: 'https://evil.example' }, 'target.token'],
    ['Apprise', APPRISE, { url: 'https://evil.example' }, 'target.key'],
    ['email', MAIL, { host: 'evil.example' }, 'target.user'],
    ['email on another port', MAIL, { port: 2525 }, 'target.user'],
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

  test('keeps the credentials of an email for the port that it has anyway', async () => {
    const { id } = await create(MAIL);
    const put = await call('PUT', `/channels/${id}`, {
      target: { port: 587, security: 'starttls' },
    });
    expect(put.status).toBe(200);
    expect(stored(id)).toEqual({ ...MAIL.target, port: 587, security: 'starttls' });
  });

  test('takes new values, and loses optional ones', async () => {
    const { id } = await create({ ...NTFY, events: ['drift'], quiet: quiet({}).quiet });
    const put = (json: object) => call('PUT', `/channels/${id}`, json);
    const topic = { target: { topic: 'other', token: null } };
    expect((await put({ ...topic, events: [], quiet: null, enabled: false })).body).toMatchObject({
      target: { url: 'https://ntfy.example.org/***', topic: '***' },
      events: [],
      quiet: null,
      enabled: false,
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
