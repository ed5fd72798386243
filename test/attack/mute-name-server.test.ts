// proof: attack
/** Upstreams have names that anyone may choose, and their name servers need not answer. */
import { afterEach, expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACE } from '../../agent/pace.ts';
import { createLookup, createResolver } from '../../agent/sites/upstreams/resolver.ts';
import { temporaryFolder, until } from '../harness/stack.ts';

const before = getServers();
const folder = temporaryFolder();
const server = createSocket('udp4');
afterEach(() => {
  server.close();
  setServers(before);
  rmSync(folder, { recursive: true });
});

test('files are read while a name server does not answer, which a changed resolv.conf names', async () => {
  const questions: { question: Buffer; port: number }[] = [];
  server.on('message', (question, { port }) => questions.push({ question, port }));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const conf = join(folder, 'resolv.conf');
  const { resolve } = createResolver(() => 0, PACE.names, createLookup(conf));
  writeFileSync(conf, `nameserver 127.0.0.1:${server.address().port}\n`);

  let answered = 0;
  for (let at = 0; at < 50; at++) {
    void resolve(`name${at}.example.org`).then(() => answered++);
  }
  await until(() => questions.length >= 50, 'the questions');
  for (let at = 0; at < 50; at++) {
    await readFile(conf);
    await Bun.file(conf).text();
  }
  expect(answered).toBe(0);

  // The server fails (RFC 1035, 4.1.1): what waits would keep a thread from the tests that follow in this process.
  for (const { question, port } of questions) {
    question.writeUInt16BE(0x81_82, 2);
    server.send(question, port, '127.0.0.1');
  }
  await until(() => answered === 50, 'the answers');
});
