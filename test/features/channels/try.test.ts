/** A channel is tried before it is stored: nothing is kept, and no secret goes elsewhere. */
import { afterEach, describe, expect, test } from 'bun:test';
import { HIDDEN, startChatServices } from '../../harness/chat-services.ts';
import { forFile } from '../../harness/for-file.ts';
import { startReceiver } from '../../harness/receiver.ts';
import { hubForChannels } from './channel-hub.ts';

const SECRET = 'a-secret-of-the-receiver';
const services = await forFile(startChatServices());
const receiver = await forFile(startReceiver(SECRET));
const { stack, call } = await hubForChannels({ LOG_LEVEL: 'debug' });
afterEach(() => services.limit(null));

const TELEGRAM = { name: 'Phone', kind: 'telegram', target: services.targets.telegram };
const tryOut = (json: object) => call('POST', '/channels/try', json);
const create = async (json: object) => (await call('POST', '/channels', json)).body.id;

describe('a try', () => {
  test('says what the service answered, without anything of the target', async () => {
    for (const [change, detail] of [
      [{ token: '1:other' }, 'HTTP 401: the bot token or the server is wrong'],
      [
        { chat: '@nobody' },
        'HTTP 400: the bot does not know the chat: write to it first, or add it to the group',
      ],
    ] as const) {
      const json = { ...TELEGRAM, target: { ...TELEGRAM.target, ...change } };
      const { status, body, text } = await tryOut(json);
      expect([status, body.code, body.detail]).toEqual([502, 'CHANNEL_FAILED', detail]);
      expect(text).not.toMatch(new RegExp(`${HIDDEN}|nobody|other`));
    }
    expect(services.posted).toEqual([]);
    services.limit(34);
    const limited = await tryOut(TELEGRAM);
    expect(limited.body.detail).toBe('HTTP 429: too many messages');
    expect(limited.headers.get('Retry-After')).toBe('34');
  });

  test('of a stored channel sends its credentials nowhere else, and to no other kind', async () => {
    const id = await create(TELEGRAM);
    const count = services.posted.length;
    for (const [change, field] of [
      [{ target: { url: receiver.url } }, 'target.token'],
      [{ kind: 'webhook', target: { url: receiver.url } }, 'kind'],
    ] as const) {
      const { status, body } = await tryOut({ ...TELEGRAM, id, ...change });
      expect([status, body.field]).toEqual([400, field]);
    }
    expect((await tryOut({ ...TELEGRAM, id: 999 })).status).toBe(404);
    expect([services.posted.length, receiver.received.length]).toEqual([count, 0]);
  });

  test('sends the message, and stores and logs nothing', async () => {
    const before = [
      (await call('GET', '/channels')).text,
      (await call('GET', '/deliveries')).text,
      (await call('GET', '/security-log')).text,
    ];
    for (const [kind, target] of Object.entries(services.targets)) {
      const { status, body } = await tryOut({ name: 'A *new* one', kind, target });
      expect([kind, status, body as unknown]).toEqual([kind, 200, { success: true }]);
      expect(JSON.stringify(services.posted.at(-1)?.body)).toContain('works.');
    }
    expect([
      (await call('GET', '/channels')).text,
      (await call('GET', '/deliveries')).text,
      (await call('GET', '/security-log')).text,
    ]).toEqual(before);
    expect(stack.lines.join('\n')).toContain('/channels/try');
    expect(stack.lines.join('\n')).not.toContain(HIDDEN);
  });

  test('of a change takes what is kept from the stored channel, and leaves that as it is', async () => {
    const id = await create(TELEGRAM);
    const { text } = await call('GET', `/channels/${id}`);
    expect((await tryOut({ ...TELEGRAM, id, target: {} })).status).toBe(200);
    expect(services.posted.at(-1)?.body.chat_id).toBe('-1001');
    const other = await tryOut({ ...TELEGRAM, id, target: { chat: '3' } });
    expect(other.body.detail).toStartWith('HTTP 403');
    expect((await call('GET', `/channels/${id}`)).text).toBe(text);
  });

  test('of a webhook without a secret is signed with one that nobody knows', async () => {
    const json = { name: 'Hook', kind: 'webhook', target: { url: `${receiver.url}/hook` } };
    expect((await tryOut(json)).body.detail).toBe('HTTP 401');
    const signature = receiver.received.at(-1)?.headers.get('X-Signalbox-Signature');
    expect(signature).toMatch(/^sha256=[0-9a-f]{64}$/);
    const withSecret = { ...json, target: { ...json.target, secret: SECRET } };
    expect((await tryOut(withSecret)).status).toBe(200);
  });
});
