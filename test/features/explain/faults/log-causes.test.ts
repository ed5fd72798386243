// proof: faults
/** What an entry of the log says of a request that failed between Caddy and the service: the cause, if it is certain. */
import { expect, test } from 'bun:test';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { causeOf } from '../../../../src/features/explain/shared/error-words.ts';
import { CAUSE_WORDS } from '../../../../src/features/explain/words.ts';
import type { LogPage } from '../../../../src/shared/wire/logs.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import { forFile, serverForFile } from '../../../harness/for-file.ts';
import { startOwner } from '../../../harness/owner.ts';
import { freePort, until } from '../../../harness/stack.ts';

const owner = await forFile(startOwner({ UPSTREAM_PROBE: 'false' }));
const listening = async (server: Server): Promise<string> => {
  await forFile(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
/** A stand-in for a service that answers whatever it is asked with the same bytes. */
const saying = (bytes: string | Buffer) =>
  listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(bytes));
    }),
  );

const { key, certificate: cert } = await selfSigned(['nas.lan']);
const secure = await listening(createServer({ key, cert }, (_, answer) => answer.end('hi')));
const plain = serverForFile(() => new Response('hi'));
// A fatal alert of TLS 1.2: "unexpected message".
const alert = await saying(Buffer.from('1503030002020a', 'hex'));
const settings = await saying(Buffer.from('000006040000000000000300000064', 'hex'));
const ssh = await saying('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n');
const silent = await saying('');

async function entryOf(name: string) {
  const path = `/logs?domain=${name}.localhost&details=true`;
  return until(async () => {
    const [entry] = (await owner.call<LogPage>('GET', path)).body.logs;
    return entry?.error === undefined ? null : entry;
  }, 'the error of the request');
}

test.each([
  ['refused', `127.0.0.1:${freePort()}`, 'UPSTREAM_REFUSED'],
  ['name', 'no-such-container:80', 'UPSTREAM_NAME'],
  ['plain', `https://127.0.0.1:${plain.port}`, 'SPEAKS_PLAIN'],
  ['untrusted', `https://${secure}`, 'UPSTREAM_UNTRUSTED'],
  ['alert', alert, 'SPEAKS_TLS'],
  ['settings', settings, 'SPEAKS_H2'],
  ['ssh', ssh, 'NOT_HTTP'],
  // It closed, and so does a service that wants HTTPS.
  ['silent', silent, undefined],
  ['secure', secure, undefined],
])('%s', async (name, upstream, cause) => {
  const site = { domain: `http://${name}.localhost`, config: 'reverse_proxy {upstream}', upstream };
  expect((await owner.call('POST', '/vhosts', site)).status).toBe(201);
  expect((await owner.stack.served(`${name}.localhost`)).status).toBe(502);
  const { error = '', cause: found } = await entryOf(name);
  expect([error, found]).toEqual([error, cause]);
});

test.each([
  ['dial tcp 192.0.2.1:80: i/o timeout', 'UPSTREAM_TIMEOUT'],
  ['net/http: timeout awaiting response headers', 'HANGS'],
  ['http: request body too large', 'TOO_LARGE'],
  ['EOF', null],
  ['context canceled', null],
])('the words %s', (error, cause) => {
  expect(causeOf(error)).toBe(cause);
  if (cause !== null) expect(Object.keys(CAUSE_WORDS)).toContain(cause);
});
