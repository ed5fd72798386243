import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Dial } from '../../../../agent/sites/live-upstreams.ts';
import { createDialUpstream } from '../../../../agent/sites/upstreams/dial.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import {
  folderForFile,
  forFile,
  listenerForFile,
  serverForFile,
} from '../../../harness/for-file.ts';
import { freePort } from '../../../harness/stack.ts';

const NAMES: Record<string, string[]> = {
  nowhere: [],
  local: ['127.0.0.1'],
  // The first one refuses.
  both: ['127.0.0.3', '127.0.0.1'],
};
/** Stands in for DNS. */
const resolve = async (host: string) => NAMES[host] ?? [];
const dial = createDialUpstream({ resolve }, false);
const TIMEOUT_MS = 2_000;

const folder = folderForFile();
const pair = await selfSigned(['own']);
const plain = serverForFile(() => new Response('ok'));
const secure = serverForFile(() => new Response('ok'), {
  tls: { cert: pair.certificate, key: pair.key },
});
const sockets = { socket: { data() {} } };
await forFile(Bun.listen({ unix: join(folder, 'a.sock'), ...sockets }));
/** Accepts connections and says nothing. */
const mute = listenerForFile(() => {});
/** Closes connections at once. */
const closing = await forFile(
  Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void socket.end(), data() {} },
  }),
);

const to = (host: string, port = 0, tls: string | null = null): Dial => ({
  place: { host, port },
  tls,
});
const socket = (path: string): Dial => ({ place: { path }, tls: null });

describe('down', () => {
  test.each<[string, () => Dial, string]>([
    ['a closed port', () => to('127.0.0.1', freePort()), 'connection refused'],
    ['an unknown name', () => to('nowhere', 80), 'no address found for this name'],
    ['a missing socket', () => socket(join(folder, 'none')), 'there is no such socket'],
    ['HTTP instead of TLS', () => to('127.0.0.1', plain.port, ''), 'it does not speak TLS'],
    ['a TLS port that closes', () => to('127.0.0.1', closing.port, 'a'), 'the connection'],
  ])('is %s', async (_, where, reason) => {
    const result = await dial(where(), TIMEOUT_MS);
    expect(result).toMatchObject({ up: false, reason: expect.stringContaining(reason) });
  });

  test('is a TLS port that says nothing', async () => {
    const result = await dial(to('127.0.0.1', mute.port, 'a'), 200);
    expect(result).toEqual({ up: false, reason: 'no answer within 0.2 s' });
  });

  test('is a name that is not resolved in time', async () => {
    const never = createDialUpstream({ resolve: () => new Promise(() => {}) }, false);
    expect(await never(to('x', 80), 100)).toMatchObject({ up: false });
  });
});

test('a socket that only Caddy’s user may use is not known', async () => {
  const apart = createDialUpstream({ resolve }, true);
  expect(await apart(socket(join(folder, 'a.sock')), TIMEOUT_MS)).toMatchObject({ up: null });
});

describe('up', () => {
  test.each<[string, () => Dial]>([
    ['an open port', () => to('127.0.0.1', plain.port)],
    ['a name', () => to('local', plain.port)],
    ['a name of which one address answers', () => to('both', plain.port)],
    ['a socket', () => socket(join(folder, 'a.sock'))],
    ['TLS with a name', () => to('127.0.0.1', secure.port, 'a.example')],
    ['TLS without a name', () => to('127.0.0.1', secure.port, '')],
  ])('is %s', async (_, where) => {
    const result = await dial(where(), TIMEOUT_MS);
    expect(result).toEqual({ up: true, latencyMs: expect.any(Number) });
  });
});
