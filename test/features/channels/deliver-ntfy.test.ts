// proof: messages
/** What a real ntfy server gets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createDeliver } from '../../../src/features/channels/deliver.ts';
import { NTFY, type Ntfy, startNtfy } from '../../harness/ntfy.ts';
import { channel, delivery, HAPPENING, OVER } from './samples.ts';

describe.skipIf(NTFY === null)('an ntfy server', () => {
  const deliver = createDeliver('a-hub');
  let server: Ntfy;
  beforeAll(async () => {
    server = await startNtfy();
  });
  afterAll(() => server.stop());

  test.each([
    ['without a token', undefined],
    ['with a token that it does not know', 'tk_zzzzzzzzzzzzzzzzzzzzzzzzzzzzz'],
  ])('takes nothing %s', async (_, token) => {
    const target = { url: server.url, topic: 'closed', ...(token && { token }) };
    const sent = deliver(channel('ntfy', target), delivery(HAPPENING));
    expect(sent).rejects.toMatchObject({
      code: 'CHANNEL_FAILED',
      detail: expect.stringMatching(/^HTTP 40[13]$/),
    });
    await sent.catch(() => {});
    expect(await server.messages('closed')).toEqual([]);
  });

  test('takes what a topic is open to', async () => {
    await deliver(channel('ntfy', { url: server.url, topic: 'open' }), delivery(HAPPENING));
    expect((await server.messages('open')).length).toBe(1);
  });

  test('gets title, message, priority and tags, in any script', async () => {
    const { url, token } = server;
    const phone = channel('ntfy', { url: `${url}/`, topic: 'all', token });
    const warning = { ...HAPPENING, level: 'warn' } as const;
    for (const one of [HAPPENING, warning, OVER]) await deliver(phone, delivery(one));
    const messages = await server.messages('all');
    expect(messages.map(({ title, priority = 3, tags }) => [title, priority, tags])).toEqual([
      ['bücher.example 😀: upstream down', 4, ['rotating_light']],
      ['bücher.example 😀: upstream down', 3, ['rotating_light']],
      ['bücher.example 😀: upstream back', 2, ['white_check_mark']],
    ]);
    expect(messages[0]?.message).toBe(
      'b:1 does not answer: „refused“.\n\nSince 22 Nov 2026, 05:21 UTC.',
    );
  });

  test('keeps the longest message as a message', async () => {
    const { url, token } = server;
    const phone = channel('ntfy', { url, topic: 'long', token });
    await deliver(phone, delivery({ ...HAPPENING, message: '€'.repeat(9_999) }));
    const [message] = await server.messages('long');
    expect(message?.message.length).toBe(1_000);
  });
});
