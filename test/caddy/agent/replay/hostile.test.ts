/** What strangers wrote into the log, and configurations that answer without end, are compared all the same. */
import { afterAll, expect, test } from 'bun:test';
import { chmodSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BODIES } from '../../../../agent/logs/answers/request-set.ts';
import type { ReplayState } from '../../../../src/features/replay/wire.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { freePort, temporaryFolder } from '../../../harness/stack.ts';
import { startReplayingAgent } from './agent.ts';
import { accessLog, type Logged } from './traffic.ts';

const isNew = caddyIs('>=2.7.0');
const plain: Logged = {
  tls: false,
  method: 'GET',
  host: 'app.example',
  uri: '/',
  ip: '192.0.2.7',
  headers: { 'User-Agent': 'Mozilla/5.0' },
  times: [Math.floor(Date.now() / 1000) - 60],
};

const folder = temporaryFolder();
let connections = 0;
/** Answers, and never ends. */
const endless = createServer((socket) => {
  connections++;
  socket.on('error', () => undefined);
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const more = setInterval(() => socket.write('4\r\nmore\r\n'), 10);
  socket.on('close', () => clearInterval(more));
});
const port = freePort();
endless.listen(port, '127.0.0.1');
chmodSync(folder, 0o755);
writeFileSync(join(folder, 'big'), '');
truncateSync(join(folder, 'big'), 100 * 1024 * 1024);
const agent = await forFile(startReplayingAgent());
afterAll(() => endless.close());

const head = () =>
  `{\n\thttp_port ${agent.ports.http}\n\thttps_port ${agent.ports.https}\n\tskip_install_trust\n}\n`;
const site = (...lines: string[]) => `${head()}http://app.example {\n\t${lines.join('\n\t')}\n}\n`;
const upstream = `reverse_proxy 127.0.0.1:${port}`;
const write = (logged: readonly Partial<Logged>[]) => {
  writeFileSync(agent.logFile, '');
  agent.log(
    accessLog(
      logged.map((one) => ({ ...plain, ...one })),
      isNew,
    ),
  );
};
const leftOutOf = ({ leftOut }: ReplayState) =>
  leftOut.filter(({ reason }) => reason !== BODIES).reduce((sum, { count }) => sum + count, 0);

const long = `/${'x'.repeat(8_100)}`;
const FORGED: readonly Partial<Logged>[] = [
  { host: '../../../../etc/passwd' },
  { host: '<script>alert(1)</script>' },
  { host: 'app.example\r\nX-Injected: yes' },
  { host: 'app.example\0.evil.example' },
  { host: '' },
  { host: ':' },
  { host: '[::1' },
  { host: '[::1]:80' },
  { host: `${'a'.repeat(70)}.example` },
  { host: `app.example:${'9'.repeat(400)}` },
  { host: '{env.HOME}' },
  { host: 'münchen.example', tls: true },
  { host: 'app.example', tls: true },
  { host: '*.example', tls: true },
  { uri: '/a b' },
  { uri: '/x HTTP/1.1\r\nX-Injected: yes\r\n\r\nGET /y' },
  { uri: '/\u0001\u007f\u001b[31m' },
  { uri: '/%0d%0aX-Injected:%20yes' },
  { uri: '/%00' },
  { uri: '/%zz' },
  { uri: '/é' },
  { uri: '//evil.example/%2e%2e/x' },
  { uri: 'http://evil.example/absolute' },
  { uri: '*', method: 'OPTIONS' },
  { uri: '' },
  { uri: '?only=query' },
  { uri: long },
  { uri: `${long}?${'y'.repeat(8_000)}` },
  { uri: '/{http.request.header.X-Injected}' },
  { method: 'GET /z HTTP/1.1\r\nX-Injected: yes\r\n' },
  { method: 'CONNECT', uri: 'app.example:443' },
  { method: 'PRI', uri: '*' },
  { method: 'QUERY-'.repeat(50) },
  { method: 'get' },
  { ip: 'not an address' },
  { ip: '' },
  { ip: '192.0.2.7\r\nPROXY TCP4 10.0.0.1 10.0.0.1 1 1' },
  { ip: 'fe80::1%eth0' },
  { ip: '::ffff:192.0.2.7' },
  { headers: { 'User-Agent': 'x\r\nX-Injected: yes' }, uri: '/agent' },
  { headers: { 'User-Agent': 'é\u0000'.repeat(4_000) }, uri: '/agents' },
  { headers: { 'User-Agent': 'a', 'Content-Length': '100000000' }, uri: '/length' },
  { headers: { 'Transfer-Encoding': 'chunked' }, uri: '/chunked' },
  { headers: { Expect: '100-continue' }, uri: '/expect' },
  { headers: { Connection: 'close, X-Injected', Range: 'bytes=0-0' }, uri: '/connection' },
];

test('requests that were forged are compared or left out, once each, and add nothing', async () => {
  await agent.publish(site(upstream));
  write(FORGED);
  const injected = ['@injected header X-Injected *', 'respond @injected 299'];
  const agents = ['@agents header User-Agent *e*', 'header @agents X-A b'];
  const addresses = ['@none remote_ip 10.0.0.1', 'respond @none 298'];
  const rules = isNew ? [...agents, ...addresses] : agents;
  const state = await agent.replay(site(...injected, ...rules, upstream));
  expect(state).toMatchObject({ state: 'done', differ: 0, groups: [] });
  expect(state.done + leftOutOf(state)).toBe(FORGED.length);
  expect(state.done).toBeGreaterThan(20);

  const gone = await agent.replay(site('respond 410'));
  expect(gone.done + leftOutOf(gone)).toBe(FORGED.length);
  expect(gone.differ).toBeGreaterThan(10);
  const shown = JSON.stringify(gone);
  expect(shown.replaceAll(/"ip":"[^"]*"/g, '')).not.toMatch(/\\u00|\\[rn]/);
  expect(shown.length).toBeLessThan(100_000);
});

test('lines that are none are not taken for requests', async () => {
  await agent.publish(site('respond 200'));
  write([{}]);
  const lines = ['{}', 'null', '{"request":{}}', '{"request":{"host":1},"status":200}', '{"reque'];
  agent.log(`${lines.join('\n')}\n\0\0\0\n${'{'.repeat(100_000)}\n`);
  const state = await agent.replay(site('respond 201'));
  expect(state).toMatchObject({ state: 'done', differ: 1 });
  expect(state.groups[0]).toMatchObject({ count: 1, visitors: 1, after: { status: 201 } });
});

test('an upstream without end is not asked, and a large file is not read', async () => {
  await agent.publish(site(upstream));
  write([{ uri: '/big' }, { uri: '/big', method: 'HEAD' }, { uri: '/other' }]);
  expect(await agent.replay(site('header X-A b', upstream))).toMatchObject({
    state: 'done',
    done: 3,
    same: 3,
  });
  expect(connections).toBe(0);
  const { groups } = await agent.replay(site(`root * ${folder}`, 'file_server'));
  expect(groups.map(({ requests, after }) => [requests, after.status])).toEqual([
    [1, 404],
    [2, 200],
  ]);
});

test('redirects and rewrites that go in circles come to an end', async () => {
  const self = `reverse_proxy 127.0.0.1:${agent.ports.http}`;
  await agent.publish(site('redir /a /b', 'redir /b /a', self));
  write([{ uri: '/a' }, { uri: '/b' }, { uri: '/c' }]);
  const state = await agent.replay(
    site('redir /a /a', 'redir /b /a', 'handle_errors {', 'error 500', '}', 'error 500'),
  );
  expect(state).toMatchObject({ state: 'done', done: 3, same: 1, differ: 2 });
});

test('what a trial cannot play is left out, with its name', async () => {
  const templates = 'templates /a*';
  await agent.publish(site(templates, 'respond 200'));
  write([{ uri: '/a' }, { uri: '/b', times: [...plain.times, (plain.times[0] ?? 0) - 5] }]);
  const state = await agent.replay(site(templates, 'respond 201'));
  expect(state).toMatchObject({ done: 1, differ: 1 });
  expect(leftOutOf(state)).toBe(1);
  expect(state.leftOut[0]?.reason).toContain('templates');
  expect(state.groups[0]).toMatchObject({ requests: 1, count: 2 });
});

test('a text that Caddy adapts, and does not start with, fails with its words', async () => {
  await agent.publish(site('respond 200'));
  write([{}]);
  const state = await agent.replay(site('@x path_regexp x ^(', 'respond @x 200'));
  expect(state).toMatchObject({ state: 'failed', groups: [] });
  expect(state.detail).toContain('missing closing )');
  expect(await agent.replay(site('respond 201'))).toMatchObject({ state: 'done', differ: 1 });
});
