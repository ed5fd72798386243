/** One question to a service at a socket of this machine. */
import { expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { exchange } from '../../../agent/features/explain/exchange.ts';
import { forFile } from '../../harness/for-file.ts';

const name = `signalbox-${process.pid}`;
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

test('an abstract socket is found by the name that Caddy writes, and another one is not', async () => {
  const server = await forFile(createServer((socket) => socket.end(ANSWER)));
  await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
  const request = Buffer.from('GET / HTTP/1.1\r\n\r\n');
  const ask = (path: string) => exchange({ place: { path }, tls: null }, request);
  expect(await ask(`@${name}`)).toMatchObject({ kind: 'http', status: 200 });
  expect((await ask(`@${name}-none`)).kind).not.toBe('http');
});
