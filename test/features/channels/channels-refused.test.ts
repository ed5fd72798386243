import { describe, expect, test } from 'bun:test';
import { type Channel, hubForChannels } from './channel-hub.ts';
import {
  APPRISE,
  DISCORD,
  GOTIFY,
  HOOK,
  hook,
  mail,
  ntfy,
  quiet,
  SECRETS,
  telegram,
} from './samples.ts';

const { call } = await hubForChannels();

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
  ['a field that every object has', 'target.constructor', hook({ constructor: 'x' })],
  [
    'a prototype',
    'target.__proto__',
    hook(JSON.parse('{"__proto__":{"url":"https://a.example"}}')),
  ],
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
  ['no webhook', 'target.url', { ...DISCORD, target: {} }],
  ['a bot token with a path', 'target.token', telegram({ token: '1:a/../../b' })],
  ['a bot token without a number', 'target.token', telegram({ token: 'abc' })],
  ['no bot token', 'target.token', telegram({ token: null })],
  ['a chat that is no ID', 'target.chat', telegram({ chat: 'ada' })],
  ['a chat with a line break', 'target.chat', telegram({ chat: '1\n' })],
  ['a key with a path', 'target.key', { ...APPRISE, target: { ...APPRISE.target, key: 'a/b' } }],
  [
    'no Apprise URLs',
    'target.urls',
    { ...APPRISE, target: { url: APPRISE.target.url, urls: 'a-path' } },
  ],
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
    if (/^(name|kind|target)/.test(field)) {
      expect((await call('POST', '/channels/try', json)).body).toMatchObject({
        code: 'INVALID_REQUEST',
        field,
      });
    }
  });

  test('so that none is there', async () => {
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
