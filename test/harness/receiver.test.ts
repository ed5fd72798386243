/** The receiver of webhooks that tests have refuses what a real one refuses, and breaks as it is asked to. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type Receiver, startReceiver } from './receiver.ts';

describe('the receiver', () => {
  const SECRET = 'a secret of sixteen';
  let receiver: Receiver;
  beforeAll(() => {
    receiver = startReceiver(SECRET);
  });
  afterAll(() => receiver.stop());

  const post = (path: string, headers: Record<string, string>, body = '{}') =>
    fetch(receiver.url + path, { method: 'POST', headers, body, redirect: 'manual' });
  const signed = (body: string) => ({
    'X-Signalbox-Signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  });

  test.each([
    ['without a signature', '/hook', {}],
    ['with the signature of another body', '/hook', signed('{"id":1}')],
    ['with another key', '/message', { 'X-Gotify-Key': 'another' }],
  ])('refuses a message %s', async (_, path, headers) => {
    expect((await post(path, headers)).status).toBe(401);
    expect(receiver.received.at(-1)).toMatchObject({ path, genuine: false });
  });

  test('takes a signed message, and one with the key', async () => {
    expect((await post('/hook', signed('{}'))).status).toBe(200);
    expect((await post('/message', { 'X-Gotify-Key': SECRET })).status).toBe(200);
    const genuine = receiver.received.filter((one) => one.genuine).map(({ path }) => path);
    expect(genuine).toEqual(['/hook', '/message']);
  });

  test('breaks as it is asked to', async () => {
    receiver.behave('fails');
    expect((await post('/hook', signed('{}'))).status).toBe(500);
    receiver.behave('redirects');
    expect((await post('/hook', signed('{}'))).headers.get('Location')).toBe('/elsewhere');
    receiver.behave('trickles');
    const stop = new AbortController();
    const init = { method: 'POST', body: '{}', headers: signed('{}'), signal: stop.signal };
    const { body } = await fetch(`${receiver.url}/hook`, init);
    const reader = body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(1);
    stop.abort();
    receiver.behave('hangs');
    const hung = fetch(`${receiver.url}/hook`, { method: 'POST', signal: AbortSignal.timeout(50) });
    await expect(hung).rejects.toThrow();
    receiver.behave('floods');
    const flood = (await post('/hook', signed('{}'))).body?.getReader();
    expect((await flood?.read())?.value?.length).toBeGreaterThan(1_000);
    await flood?.cancel();
  });
});
