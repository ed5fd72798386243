// proof: caddys
/** Programs that an agent does not put in place of its Caddy, and what is left of the attempt: nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../../harness/caddys.ts';
import { FULL } from '../../harness/full.ts';
import { type LoneAgent, startLoneAgent } from '../../harness/lone-agent.ts';
import { anotherCaddy, badCaddy, IS_X64, OWN, programsOf, sumOf } from '../../harness/programs.ts';
import { ask, freePort, until } from '../../harness/stack.ts';

let agent: LoneAgent;
let using: ReturnType<typeof programsOf>;
let text: string;
let before: Awaited<ReturnType<typeof state>>;
let bad: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  agent = await startLoneAgent();
  using = programsOf(agent);
  const site = (name: string, answer: string) => `http://${name} {\n\trespond "${answer}"\n}\n`;
  text = agent.text([], site('a.test', 'a') + site('b.test', 'b'));
  expect((await agent.reload(text)).status).toBe(200);
  before = await state();
  bad = badCaddy(agent.folder);
});
afterAll(() => agent.stop());

const served = (name: string) =>
  ask(`http://127.0.0.1:${agent.httpPort}/`, { headers: { Host: name } }).then(({ text }) => text);

/** All that an exchange could change. */
async function state() {
  const { current, previous, probation } = await using.programs();
  const { proxy, liveDigest } = await agent.status();
  return {
    proxy,
    liveDigest,
    previous,
    probation,
    sum: current?.sha256,
    pids: caddiesOf(agent.dataDir).map(({ pid }) => pid),
    served: [await served('a.test'), await served('b.test')],
    text: agent.readProxyfile(),
  };
}

async function expectUnchanged(): Promise<void> {
  await until(() => caddiesOf(agent.dataDir).length === 1);
  expect(await state()).toEqual(before);
  expect(before.served).toEqual(['a', 'b']);
  const folder = join(agent.dataDir, 'caddy/programs');
  expect(readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory())).toEqual(
    [],
  );
}

/** An ELF header, with what differs from that of a program for this machine. */
function elf(change: (header: Buffer) => void): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(readFileSync('/bin/true'));
  change(bytes);
  return new Uint8Array(bytes);
}

describe('is not taken in', () => {
  test.each<[string, string, () => Uint8Array<ArrayBuffer>]>([
    ['a script', 'scripts and archives', () => Buffer.from('#!/bin/sh\necho v2.11.4\n'.repeat(2))],
    ['a page', 'scripts and archives', () => Buffer.from('<!doctype html>'.repeat(200))],
    ['nothing', 'scripts and archives', () => new Uint8Array()],
    [
      'a program for another processor',
      'another processor',
      () => elf((file) => file.writeUInt16LE(8, 18)),
    ],
    ['half a program', 'does not answer as Caddy', () => elf((file) => file.fill(0, 64))],
    [
      'a program that needs another C library',
      'does not answer as Caddy',
      () => elf((file) => void file.write('/lib/ld-musl-none.so.1\0', file.indexOf('/lib64/ld'))),
    ],
    ['another program', 'does not answer as Caddy', () => elf(() => {})],
  ])('%s', async (_, reason, make) => {
    const refused = await using.keep(make());
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(refused.body.message).toContain(reason);
    await expectUnchanged();
  });

  test
    .skipIf(!IS_X64)
    .each([
      ['that says that it is another', 'is another program'],
      ['that hangs when it is asked for its version', 'hangs'],
      ...(FULL ? [['that hangs when it is asked for its modules', 'hangs later']] : []),
      ['without reverse_proxy', 'lacks a module'],
    ])('a program %s', async (_, mode) => {
    using.misbehave(mode);
    const refused = await using.keep(bad);
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(refused.body.message).toContain('does not answer as Caddy');
    await expectUnchanged();
  });

  test('a file with another sum, or of more than 200 MB', async () => {
    const refused = await using.keep(readFileSync(OWN), '0'.repeat(64));
    expect(refused.body).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(refused.body.message).toContain('another checksum');
    const large = new Uint8Array(200 * 1024 * 1024 + 1);
    large.set(readFileSync(OWN));
    expect((await using.keep(large)).body.message).toContain('larger than 200 MB');
    await expectUnchanged();
  });

  test('what an address does not have, or not whole', async () => {
    const whole = readFileSync(anotherCaddy());
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch({ url }) {
        if (url.endsWith('/page')) return new Response('<html>'.repeat(500));
        if (url.endsWith('/short')) return new Response(whole.subarray(0, 5_000_000));
        if (url.endsWith('/away')) return Response.redirect('/nowhere');
        if (url.endsWith('/inwards')) return Response.redirect(`file://${OWN}`);
        return new Response('none', { status: 404 });
      },
    });
    for (const [path, reason] of [
      ['/none', 'answered 404'],
      ['/away', 'answered 404'],
      ['/inwards', 'cannot be reached'],
      ['/page', 'scripts and archives'],
      ['/short', 'another checksum'],
    ]) {
      const { body } = await using.fetch(`${server.url.origin}${path}`, sumOf(whole));
      expect(body.code).toBe('INVALID_REQUEST');
      expect(body.message).toContain(reason);
    }
    const { body } = await using.fetch(`http://127.0.0.1:${freePort()}/`, sumOf(whole));
    expect(body.message).toContain('cannot be reached');
    await server.stop(true);
    await expectUnchanged();
  });

  test('a program that the agent does not have, or that runs', async () => {
    expect(await using.exchange('0'.repeat(64), text)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    const own = await using.exchange(before.sum ?? '', text);
    expect(own).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    await expectUnchanged();
  });
});

describe.skipIf(!IS_X64)('is not put in place', () => {
  test.each([
    ['refuses a directive', 'http://a.test'],
    ['ends at once', 'it does not start'],
    ...(FULL ? [['opens no endpoint', 'it does not start']] : []),
    ['refuses', 'not today'],
    ['refuses at last', 'not so late'],
    ['opens nothing', 'does not open port'],
    ...(FULL ? [['opens nothing at last', 'does not open port']] : []),
    ['answers errors', 'GET / gets 502 instead of 200'],
    ['redirects', 'GET / gets 302 to http://elsewhere.example/'],
    ['never answers', 'GET / gets no answer'],
    ['forgets its endpoint', 'does not answer'],
  ])('a program that %s', async (mode, reason) => {
    using.misbehave('');
    const { body } = await using.keep(bad);
    using.misbehave(mode);
    const refused = await using.exchange(body.sha256, text);
    expect(refused).toMatchObject({ status: 502, body: { code: 'PROGRAM_REFUSED' } });
    expect(JSON.stringify(refused.body.differences)).toContain(reason);
    await expectUnchanged();
  });
});
