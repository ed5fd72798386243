// proof: caddys
/** Programs at PROXY_BIN that do not get to serve visitors, and what is left of the attempt: nothing. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../../harness/caddys.ts';
import { FULL } from '../../harness/full.ts';
import { siteOf } from '../../harness/lone-agent.ts';
import { badCaddy, OWN, startWithPrograms } from '../../harness/programs.ts';
import { ask, until } from '../../harness/stack.ts';

let all: Awaited<ReturnType<typeof startWithPrograms>>;
let before: Awaited<ReturnType<typeof state>>;

beforeAll(async () => {
  all = await startWithPrograms();
  const { agent } = all;
  const text = agent.text([], siteOf('http://a.test') + siteOf('http://b.test'));
  expect((await agent.reload(text)).status).toBe(200);
  before = await state();
});
afterAll(() => all.agent.stop());
afterEach(async () => {
  all.place(OWN);
  await until(async () => (await all.programs()).next === null, 'that it is gone');
});

const served = (name: string) =>
  ask(`http://127.0.0.1:${all.agent.httpPort}/`, { headers: { Host: name } }).then(
    ({ text }) => text,
  );

/** All that a restart could change. */
async function state() {
  const { current } = await all.programs();
  const { proxy, liveDigest } = await all.agent.status();
  const { since: _, ...program } = current ?? {};
  return {
    proxy,
    liveDigest,
    program,
    served: [await served('a.test'), await served('b.test')],
    text: all.agent.readProxyfile(),
  };
}

const pids = () => caddiesOf(all.agent.dataDir).map(({ pid }) => pid);

async function expectUnchanged(): Promise<void> {
  await until(
    async () => pids().length === 1 && (await all.agent.status()).liveDigest === before.liveDigest,
    'one Caddy with the sites',
  );
  expect(await state()).toEqual(before);
  expect(before.served).toEqual(['http://a.test', 'http://b.test']);
}

describe('visitors never get it, and Caddy is not even restarted:', () => {
  test.each([
    ['a page', 'does not answer as Caddy', () => '<!doctype html>'],
    ['nothing', 'does not answer as Caddy', () => ''],
    ['a script that is another program', 'does not answer as Caddy', () => '#!/bin/sh\necho hi\n'],
  ])('%s', async (_, reason, text) => {
    const file = join(all.agent.folder, 'other');
    writeFileSync(file, text(), { mode: 0o755 });
    await expectRefused(file, reason);
  });

  test.each([
    ['is another program', 'does not answer as Caddy'],
    ['is too old', 'signalbox needs Caddy 2.6.2 or newer'],
    ...(FULL
      ? [
          ['hangs', 'does not answer as Caddy'],
          ['hangs later', 'does not answer as Caddy'],
          ['opens nothing', 'does not open port'],
          ['never answers', 'gets no answer'],
        ]
      : []),
    ['lacks a module', 'does not answer as Caddy'],
    ['refuses a directive', 'http://a.test: '],
    ['ends at once', 'It does not start'],
    ['refuses', 'not today'],
    ['answers errors', 'gets 502 instead of 200'],
    ['redirects', 'http://elsewhere.example/ instead of'],
  ])('a program that %s', async (mode, reason) => {
    await expectRefused(badCaddy(all.agent.folder, mode), reason);
  });

  async function expectRefused(file: string, reason: string): Promise<void> {
    const [pid] = pids();
    all.place(file);
    const { differs } = await all.tried();
    expect(differs.join('; ')).toContain(reason);
    const { status, body } = await all.restart();
    expect([status, body.code]).toEqual([502, 'PROGRAM_REFUSED']);
    expect(body.detail).toContain(reason);
    await expectUnchanged();
    expect(pids()).toEqual([pid ?? 0]);
  }
});

describe('if it fails with visitors, the one before is back: a program that', () => {
  test.each([
    ['ends at last', 'the proxy did not start'],
    ['refuses at last', 'not so late'],
    ['forgets its endpoint', 'The proxy does not answer'],
    ...(FULL ? [['opens nothing at last', 'It does not open port']] : []),
  ])('%s', async (mode, reason) => {
    all.place(badCaddy(all.agent.folder, mode));
    const { status, body } = await all.restart();
    expect([status, body.code]).toEqual([502, 'PROGRAM_REFUSED']);
    expect(body.detail).toContain(reason);
    await expectUnchanged();
  });

  test('ends soon at last', async () => {
    all.place(badCaddy(all.agent.folder, 'ends soon at last'));
    expect((await all.restart()).body.detail).toBeUndefined();
    await until(async () => (await all.agent.status()).warnings.join().includes('It ended within'));
    await expectUnchanged();
  });
});
