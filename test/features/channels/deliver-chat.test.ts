/** What Discord, Telegram, Slack and Apprise get; each is a stand-in. */
import { afterEach, describe, expect, test } from 'bun:test';
import { createDeliver } from '../../../src/features/channels/deliver.ts';
import type { Message } from '../../../src/features/channels/message.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { HIDDEN, startChatServices } from '../../harness/chat-services.ts';
import { forFile } from '../../harness/for-file.ts';
import { channel, delivery, HAPPENING, OVER } from './samples.ts';

const services = await forFile(startChatServices());
const deliver = createDeliver('a-hub');
afterEach(() => services.limit(null));

type Service = keyof typeof services.targets;
const SERVICES = Object.keys(services.targets) as Service[];
const BASE = services.targets.telegram.url;

async function send(kind: Service, message: Message = HAPPENING, change: object = {}) {
  const target = { ...services.targets[kind], ...change };
  await deliver(channel(kind, target), delivery(message));
  const last = services.posted.at(-1);
  if (!last) throw new Error('nothing was posted');
  return last;
}

async function failure(kind: Service, change: object = {}): Promise<Failure> {
  const count = services.posted.length;
  const error = await send(kind, HAPPENING, change).then(
    () => null,
    (error) => error,
  );
  expect(error).toBeInstanceOf(Failure);
  expect(error.code).toBe('CHANNEL_FAILED');
  expect(JSON.stringify([error.message, error.detail, error.cause])).not.toContain(HIDDEN);
  expect(services.posted.length).toBe(count);
  return error;
}

describe('a message is not taken', () => {
  test.each<[Service, string, object, string]>([
    ['discord', 'an unknown webhook', { url: `${BASE}/api/webhooks/2/x` }, 'HTTP 404: the webhook'],
    ['discord', 'a wrong token', { url: `${BASE}/api/webhooks/1/x` }, 'HTTP 401: the webhook was'],
    [
      'discord',
      'a forum',
      { url: `${BASE}/api/webhooks/1/${HIDDEN}?forum=1` },
      'HTTP 400: a forum needs a thread',
    ],
    ['telegram', 'a wrong token', { token: '1:x' }, 'HTTP 401: the bot token'],
    [
      'telegram',
      'an unknown chat',
      { chat: '@nobody' },
      'HTTP 400: the bot does not know the chat',
    ],
    ['telegram', 'a former group', { chat: '-2' }, 'HTTP 400: the group became a supergroup'],
    ['telegram', 'a user who blocked it', { chat: '3' }, 'HTTP 403: the bot may not write'],
    ['slack', 'a removed webhook', { url: `${BASE}/services/T9/B9/x` }, 'HTTP 404: the webhook or'],
    ['slack', 'a wrong token', { url: `${BASE}/services/T0/B0/other` }, 'HTTP 403: the webhook or'],
    [
      'slack',
      'a workspace',
      { url: `${BASE}/services/T1/B0/${HIDDEN}` },
      'HTTP 403: the workspace',
    ],
    ['slack', 'an archive', { url: `${BASE}/services/T0/B1/${HIDDEN}` }, 'HTTP 410: the Slack'],
    ['apprise', 'an unknown key', { key: 'other' }, 'HTTP 204: nothing is stored under this key'],
    ['apprise', 'neither key nor URLs', { key: undefined }, 'HTTP 204: nothing is stored'],
    ['apprise', 'a service that failed', { key: 'dead' }, 'HTTP 424: at least one service'],
    ['apprise', 'another path', { url: `${BASE}/elsewhere` }, 'HTTP 404: there is no Apprise API'],
  ])('by %s: %s', async (kind, _, change, detail) => {
    expect((await failure(kind, change)).detail).toStartWith(detail);
  });

  test.each<Service>(['discord', 'telegram', 'slack'])(
    'by %s if there were too many, and it says when to try again',
    async (kind) => {
      services.limit(34);
      const { detail, retryAfter } = await failure(kind);
      expect([detail, retryAfter]).toEqual(['HTTP 429: too many messages', 34]);
    },
  );
});

/** As a site's name or an error may have them. */
const MARKUP = '@everyone <@1> <!channel> **b** _i_ `c` [a](http://evil.example) & :tada: @ada';
const CRAFTED: Message = {
  ...HAPPENING,
  about: MARKUP,
  message: `# ${MARKUP}\n- list\n> quote`,
};

describe('no text becomes markup or a mention', () => {
  test('in Discord', async () => {
    const { body } = await send('discord', CRAFTED);
    expect(body.allowed_mentions).toEqual({ parse: [] });
    const [title = '', ...lines] = String(body.content).split('\n');
    expect(title).toStartWith(
      '**🚨 \\@everyone \\<\\@1> \\<!channel> \\*\\*b\\*\\* \\_i\\_ \\`c\\`',
    );
    expect(title).toContain('\\[a\\](http\\://evil.example) & \\:tada: \\@ada');
    expect(lines[0]).toStartWith('\\# \\@everyone');
    expect(lines.slice(1, 3)).toEqual(['\\- list', '\\> quote']);
  });

  test('in Telegram', async () => {
    const { body } = await send('telegram', CRAFTED);
    const text = String(body.text);
    expect(body.parse_mode).toBeUndefined();
    expect(text).toContain('**b** _i_ `c` [a](http://evil.example) & :tada:');
    expect(text).not.toMatch(/@\w/);
    const [title = ''] = text.split('\n');
    expect(body.entities).toEqual([{ type: 'bold', offset: 0, length: title.length }]);
    expect(body.link_preview_options).toEqual({ is_disabled: true });
  });

  test('in Slack', async () => {
    const { body } = await send('slack', CRAFTED);
    expect(body).toMatchObject({ mrkdwn: false, parse: 'none', unfurl_links: false });
    expect(body.text).toContain('@everyone &lt;@1&gt; &lt;!channel&gt; **b**');
    expect(body.text).toContain(' &amp; :tada:');
    expect(body.text).not.toMatch(/[<>]/);
  });

  test('in what Apprise passes on', async () => {
    const { body } = await send('apprise', CRAFTED);
    expect(body.format).toBe('text');
    expect(body.title).toContain(MARKUP);
  });
});

describe('the longest message', () => {
  test.each(SERVICES)('is accepted by %s', async (kind) => {
    await send(kind, { ...HAPPENING, about: '*'.repeat(999), message: '_'.repeat(9_999) });
  });

  test.each(SERVICES)('has no half of an emoji for %s', async (kind) => {
    for (const padding of ['', 'x']) {
      const text = padding + '😀'.repeat(9_999);
      const { body } = await send(kind, { ...HAPPENING, about: text, message: text });
      expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
    }
  });
});

test.each<[Service, string, string, string]>([
  ['discord', '/api/webhooks/1/a-hidden-part', '?wait=true', 'content'],
  ['telegram', '/bot12345:a-hidden-part/sendMessage', '', 'text'],
  ['slack', '/services/T0/B0/a-hidden-part', '', 'text'],
])('%s gets title and text, with a sign for how bad it is', async (kind, path, query, field) => {
  const begun = await send(kind);
  expect([begun.path, begun.query]).toEqual([path, query]);
  expect(begun.body[field]).toMatch(/^(\*\*)?🚨 bücher\.example 😀: upstream down/);
  expect(begun.body[field]).toContain('\nb:1 does not answer: „refused“.\n\nSince 22 Nov 2026');
  expect((await send(kind, OVER)).body[field]).toMatch(
    /^(\*\*)?✅ bücher\.example 😀: upstream back/,
  );
});

test('Telegram is silent about what is over', async () => {
  expect((await send('telegram')).body.disable_notification).toBe(false);
  expect((await send('telegram', OVER)).body.disable_notification).toBe(true);
});

test('Discord keeps the thread of the address', async () => {
  const url = `${services.targets.discord.url}?thread_id=7`;
  expect((await send('discord', HAPPENING, { url })).query).toBe('?thread_id=7&wait=true');
});

test('Apprise gets title, text and type, for a key or for URLs', async () => {
  const { path, body } = await send('apprise');
  expect(path).toBe(`/notify/${HIDDEN}`);
  expect(body).toMatchObject({ title: 'bücher.example 😀: upstream down', type: 'failure' });
  expect(body.urls).toBeUndefined();
  expect((await send('apprise', OVER)).body.type).toBe('success');
  const stateless = await send('apprise', HAPPENING, { key: undefined, urls: 'json://x.example' });
  expect([stateless.path, stateless.body.urls]).toEqual(['/notify', 'json://x.example']);
});
