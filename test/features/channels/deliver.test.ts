/** What receivers over HTTP get, and that none of them can harm the hub. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { createDeliver } from '../../../src/features/channels/deliver.ts';
import type { Target } from '../../../src/features/channels/kinds/kind.ts';
import type { ChannelKind } from '../../../src/features/channels/kinds/kinds.ts';
import type { Delivery, Message } from '../../../src/features/channels/message.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { flood, type RawServer, startRaw, trickle } from '../../harness/raw-server.ts';
import { startReceiver } from '../../harness/receiver.ts';
import { limit } from '../../harness/speed.ts';
import { until } from '../../harness/stack.ts';
import { channel, delivery, HAPPENING, OVER } from './samples.ts';

const SECRET = 'a-secret-of-the-receiver';
const receiver = await forFile(startReceiver(SECRET));
const servers: RawServer[] = [];
beforeEach(() => receiver.behave('accepts'));
afterAll(async () => {
  for (const server of servers) server.stop();
});

const deliver = createDeliver('a-hub');
const hasty = createDeliver('a-hub', 200);
/** For one that answers, and whose answer does not end. */
const patient = createDeliver('a-hub', limit(1_000));

/** The detail with which a delivery fails. */
async function failure(target: Target, kind: ChannelKind = 'webhook', by = deliver) {
  const error = await by(channel(kind, { secret: SECRET, ...target }), delivery(HAPPENING)).then(
    () => null,
    (error) => error,
  );
  expect(error).toBeInstanceOf(Failure);
  expect(error.code).toBe('CHANNEL_FAILED');
  expect(JSON.stringify([error.message, error.detail, error.cause])).not.toContain('a-path');
  return error.detail;
}

/** A server that treats each connection as it is told, and the address of a webhook there. */
async function startHostile(treat: (socket: Socket) => void) {
  const server = await startRaw(treat);
  servers.push(server);
  return { url: `http://127.0.0.1:${server.port}/a-path`, closed: server.closed };
}

describe('a message is not taken', () => {
  test('by a receiver that fails', async () => {
    receiver.behave('fails');
    expect(await failure({ url: `${receiver.url}/hook` })).toBe('HTTP 500');
  });

  test.each([301, 302, 303, 307, 308])(
    'with a redirect by %i, which is not followed',
    async (status) => {
      for (const place of [`${receiver.url}/elsewhere`, 'file:///etc/passwd', '/elsewhere']) {
        const { url } = await startHostile((socket) =>
          socket.end(`HTTP/1.1 ${status} x\r\nLocation: ${place}\r\nContent-Length: 0\r\n\r\n`),
        );
        expect(await failure({ url })).toBe(`HTTP ${status}: redirects are not followed`);
      }
      expect(receiver.received.some(({ path }) => path === '/elsewhere')).toBe(false);
    },
  );

  test.each<[string, string, (socket: Socket) => void]>([
    ['does not answer', 'no answer within 0.2 s', () => {}],
    [
      'sends headers without end, slowly',
      'no answer within 0.2 s',
      (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'),
    ],
    [
      'says again and again that it continues',
      'no answer within 0.2 s',
      (socket) => trickle(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
    ],
    [
      'sends a header without end',
      'it does not speak HTTP',
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: '),
    ],
    ['sends anything', 'it does not speak HTTP', (socket) => flood(socket, 'hello')],
    [
      'fails with a body without end',
      'HTTP 500',
      (socket) => flood(socket, 'HTTP/1.1 500 x\r\nContent-Length: 99999999999\r\n\r\n'),
    ],
    [
      'fails with a body that does not come',
      'HTTP 500',
      (socket) => trickle(socket, 'HTTP/1.1 500 x\r\nContent-Length: 99999\r\n\r\n', 'x'),
    ],
    ['closes the connection', 'the connection was closed', (socket) => socket.end()],
    ['resets the connection', 'the connection was closed', (socket) => socket.resetAndDestroy()],
  ])('by a receiver that %s, and the connection ends', async (_, detail, treat) => {
    const { url, closed } = await startHostile(treat);
    const by = detail.startsWith('no answer') ? hasty : deliver;
    expect(await failure({ url }, 'webhook', by)).toBe(detail);
    await until(() => closed() > 0, 'the end of the connection');
  });

  test.each<[string, number | undefined]>([
    ['Retry-After: 34', 34],
    ['Retry-After: 0.5', 1],
    ['Retry-After: Fri, 31 Dec 1999 23:59:59 GMT', undefined],
    ['Retry-After: 99999999999', undefined],
    ['X-Nothing: 34', undefined],
  ])('for now, with %s', async (header, retryAfter) => {
    const { url } = await startHostile((socket) =>
      socket.end(`HTTP/1.1 429 x\r\n${header}\r\nContent-Length: 0\r\n\r\n`),
    );
    const sent = deliver(channel('webhook', { secret: SECRET, url }), delivery(HAPPENING));
    const error = await sent.then(
      () => null,
      (error) => error,
    );
    expect([error.detail, error.retryAfter]).toEqual(['HTTP 429: too many messages', retryAfter]);
  });

  test('without a receiver', async () => {
    expect(await failure({ url: 'http://127.0.0.1:1/a-path' })).toBe(
      'connection refused, or no route',
    );
    expect(await failure({ url: 'http://nowhere.invalid/a-path' })).toBe(
      'its name cannot be resolved',
    );
  });

  test('by a receiver with a certificate that nobody trusts, or without one', async () => {
    const { certificate: cert, key } = await selfSigned(['localhost']);
    let requests = 0;
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { cert, key },
      fetch: () => new Response(String(++requests)),
    });
    const url = `https://localhost:${server.port}/a-path`;
    expect(await failure({ url })).toBe('its certificate is not trusted');
    expect(requests).toBe(0);
    await server.stop(true);
    const plain = receiver.url.replace('http:', 'https:');
    expect(await failure({ url: `${plain}/a-path` })).toBe('the TLS handshake failed');
  });

  test('by a Gotify server with another token', async () => {
    expect(await failure({ url: receiver.url, token: 'another' }, 'gotify')).toBe('HTTP 401');
  });
});

test.each(['floods', 'trickles'] as const)(
  'a receiver that %s after a 200 has taken it',
  async (how) => {
    receiver.behave(how);
    await patient(
      channel('webhook', { url: `${receiver.url}/hook`, secret: SECRET }),
      delivery(HAPPENING),
    );
  },
);

describe('a webhook', () => {
  const send = async (...messages: Delivery['messages']) => {
    const count = receiver.received.length;
    const url = `${receiver.url}/hook?a=b`;
    await deliver(channel('webhook', { url, secret: SECRET }), delivery(...messages));
    expect(receiver.received.length).toBe(count + 1);
    const { body, headers, genuine } = receiver.received.at(-1) ?? { body: '' };
    expect([genuine, headers?.get('X-Signalbox-Id')]).toEqual([true, 'an-id']);
    return JSON.parse(body);
  };

  test('gets a problem, signed', async () => {
    expect(await send(HAPPENING)).toEqual({
      id: 'an-id',
      hub: 'a-hub',
      state: 'began',
      event: 'upstream.down',
      about: 'bücher.example 😀',
      level: 'bad',
      message: HAPPENING.message,
      at: '2026-11-22T05:21:00.000Z',
    });
  });

  test('gets a digest', async () => {
    const other = { ...HAPPENING, level: 'warn', about: 'b.example' } as const;
    const body = await send(other, OVER, HAPPENING);
    expect(body).toMatchObject({
      id: 'an-id',
      hub: 'a-hub',
      state: 'digest',
      event: null,
      about: '',
      level: 'bad',
      message: '2 problems began, 1 resolved',
      at: '2026-11-22T06:22:00.000Z',
    });
    expect(body.happenings.map(({ about, state }: Message) => [about, state])).toEqual([
      ['b.example', 'began'],
      ['bücher.example 😀', 'over'],
      ['bücher.example 😀', 'began'],
    ]);
  });
});

test('Gotify gets title, message and priority', async () => {
  for (const [message, title, priority] of [
    [HAPPENING, 'bücher.example 😀: upstream down', 8],
    [{ ...HAPPENING, level: 'warn' } as const, 'bücher.example 😀: upstream down', 5],
    [OVER, 'bücher.example 😀: upstream back', 2],
  ] as const) {
    await deliver(channel('gotify', { url: `${receiver.url}/`, token: SECRET }), delivery(message));
    const { path, body } = receiver.received.at(-1) ?? { body: '' };
    expect(path).toBe('/message');
    expect(JSON.parse(body)).toMatchObject({ title, priority });
  }
});
