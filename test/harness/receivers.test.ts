/** The servers that tests send messages to refuse what real ones refuse, and show what arrived. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { NTFY, type Ntfy, startNtfy } from './ntfy.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { CHASQUID, type MailServer, startMailServer } from './smtp.ts';
import { until } from './stack.ts';
import { startWithoutStartTls } from './without-starttls.ts';

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
    expect(hung).rejects.toThrow();
    receiver.behave('floods');
    const flood = (await post('/hook', signed('{}'))).body?.getReader();
    expect((await flood?.read())?.value?.length).toBeGreaterThan(1_000);
    await flood?.cancel();
  });
});

describe.skipIf(NTFY === null)('the ntfy server', () => {
  let ntfy: Ntfy;
  beforeAll(async () => {
    ntfy = await startNtfy();
  });
  afterAll(() => ntfy.stop());

  test('refuses a stranger, and has what was sent, after a restart as well', async () => {
    const stranger = await fetch(`${ntfy.url}/alerts`, { method: 'POST', body: 'hello' });
    expect(stranger.status).toBe(403);
    const headers = { Authorization: `Bearer ${ntfy.token}`, 'X-Priority': '4' };
    await fetch(`${ntfy.url}/alerts`, { method: 'POST', body: 'hello', headers });
    await until(async () => (await ntfy.messages('alerts')).length === 1, 'the message');
    await ntfy.kill();
    await ntfy.start();
    expect(await ntfy.messages('alerts')).toMatchObject([{ message: 'hello', priority: 4 }]);
    expect(await ntfy.messages('open')).toEqual([]);
  });
});

describe.skipIf(CHASQUID === null)('the mail server', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server.stop());

  /** Says one line after the other, each after the answer to the one before. @returns the answers */
  function talk(port: number, lines: readonly string[]): Promise<string> {
    const rest = [...lines];
    let heard = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (data) => {
      heard += data;
      if (!/^\d{3} .*\r\n$/m.test(String(data))) return;
      const line = rest.shift();
      if (line === undefined) socket.destroy();
      else socket.write(`${line}\r\n`);
    });
    return new Promise((done) => socket.on('close', () => done(heard)));
  }
  const letter = (to: string) => [
    ...['EHLO there', 'MAIL FROM:<hub@localhost>', `RCPT TO:<${to}>`],
    ...['DATA', 'Subject: hello\r\n\r\nthe text\r\n.', 'QUIT'],
  ];

  test('refuses mail to nobody, and mail without a sign-in', async () => {
    expect(await talk(server.plainPort, letter('nobody@example.org'))).toContain('550 5.1.1');
    expect(await talk(server.startTlsPort, letter(server.user))).toContain('550 5.7.9');
    expect(server.mails()).toEqual([]);
  });

  test('offers STARTTLS, unless somebody on the way hides it', async () => {
    expect(await talk(server.plainPort, ['EHLO there'])).toContain('STARTTLS');
    const hidden = await startWithoutStartTls(server.plainPort);
    const heard = await talk(hidden.port, ['EHLO there']);
    expect(heard).toContain('250-SIZE');
    expect(heard).not.toContain('STARTTLS');
    await hidden.stop();
  });

  test('delivers mail', async () => {
    await talk(server.plainPort, letter(server.user));
    await until(() => server.mails().length === 1, 'the mail');
    expect(server.mails()[0]).toEndWith('\nSubject: hello\n\nthe text\n');
  });
});
