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
  let asked = 0;
  server.on('message', () => asked++);
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const conf = join(folder, 'resolv.conf');
  const { resolve } = createResolver({
    pace: PACE.names,
    elapsed: () => 0,
    find: createLookup(conf),
  });
  writeFileSync(conf, `nameserver 127.0.0.1:${server.address().port}\n`);

  let answered = 0;
  for (let at = 0; at < 50; at++) {
    void resolve(`name${at}.example.org`).then(() => answered++);
  }
  await until(() => asked >= 50, 'the questions');
  for (let at = 0; at < 50; at++) {
    await readFile(conf);
    await Bun.file(conf).text();
  }
  expect(answered).toBe(0);
});
