/** `signalbox apply` and `signalbox export` with a running hub. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { forFile } from '../../../harness/for-file.ts';
import { createOperator, refusal } from '../../../harness/operator.ts';
import { ask, signUp } from '../../../harness/stack.ts';

const operator = await forFile(createOperator());
const { folder } = operator;
const SITES = `policies:
  lan: {recipe: allow, values: {networks: [private_ranges]}}
sites:
  http://mine.example:
    config: respond mine
    policies: [lan]
    tags: [08]
`;
let hub = '';
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const run = (args: string, input?: string) =>
  operator.run(['apply', ...args.split(' ')], input === undefined ? {} : { input });
/** What an apply says on standard error after that many changes. */
const summary = (count: number) =>
  expect.stringMatching(
    new RegExp(`^${count} changes?, published; to undo: signalbox undo [1-9]\\d*\n$`),
  );
const digestIn = (out: string) => /^digest (\S+)$/m.exec(out)?.[1] ?? '';

beforeAll(async () => {
  write('sites.yaml', SITES);
  hub = (await operator.start()).hub;
});

describe('refuses', () => {
  test.each([
    [''],
    ['--plan'],
    ['-f'],
    ['-f sites.yaml more'],
    ['-f sites.yaml --nonsense'],
    ['-f sites.yaml --plan=yes'],
    ['-f sites.yaml -f sites.yaml'],
    ['-f nowhere.yaml'],
    ['-f sites.yaml --hub nonsense'],
    ['-f sites.yaml --hub http://me:secret@127.0.0.1:1'],
  ])('a wrong call with 1: %s', async (args) => {
    const { code, out, err } = await operator.run(['apply', ...args.split(' ').filter(Boolean)]);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toBe('');
    expect(err).not.toContain('secret');
  });

  test('with the first hundred of many mistakes, and the beginning of what is long', async () => {
    const fields = Array.from({ length: 150 }, (_, at) => `x${at}: 1`).join(', ');
    const { code, err } = await run('-f -', `sites:\n  ? ${'k'.repeat(10_000)}\n  : {${fields}}\n`);
    const lines = err.trimEnd().split('\n');
    expect([code, lines.length, lines.at(-2)]).toEqual([1, 102, '… and 50 more']);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_100);
  });

  test('with so many that are not counted', async () => {
    const fields = Array.from({ length: 1_500 }, (_, at) => `x${at}: 1`).join(', ');
    const { code, err } = await run('-f -', `sites:\n  a.example: {${fields}}\n`);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n').slice(-2)).toEqual([
      '… and at least 900 more',
      'signalbox apply: at least 1000 mistakes in stdin; nothing was changed',
    ]);
  });

  test('with all mistakes of the file, each with its line', async () => {
    const { code, out, err } = await run(
      '-f -',
      'sites:\n  a.example:\n    upsteam: x\n    enabled: no\n',
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(`stdin:3: sites.a.example.upsteam: unknown field; did you mean upstream?
stdin:4: sites.a.example.enabled: must be true or false; write false
signalbox apply: 2 mistakes in stdin; nothing was changed
`);
  });

  test('with the line in the file of what Caddy does not accept', async () => {
    const text = 'sites:\n  http://a.example:\n    config: |\n      header A b\n      respnd hi\n';
    for (const args of ['-f -', '-f - --plan']) {
      const { code, out, err } = await run(args, text);
      expect([code, out]).toEqual([1, '']);
      expect(err).toStartWith('signalbox apply: stdin:5: sites.http://a.example.config: ');
      expect(err).toContain('(PROXY_REJECTED)\n');
      expect(err).toContain('respnd');
    }
  });
});

test('plans with 2, applies that plan, and then there is nothing to do', async () => {
  const plan = await run('-f sites.yaml --plan');
  expect([plan.code, plan.err]).toEqual([2, '']);
  expect(plan.out).toStartWith('create policy lan\ncreate site http://mine.example\n\n');
  expect(plan.out).toContain('\n+http://mine.example {');
  expect(await operator.served('mine.example')).not.toBe('mine');
  expect(await run('-f sites.yaml --expects 0000')).toEqual(refusal('(STALE)'));

  const done = await run(`-f sites.yaml --expects ${digestIn(plan.out)}`);
  expect(done).toEqual({
    code: 0,
    err: summary(2),
    out: 'create policy lan\ncreate site http://mine.example\n',
  });
  expect(await operator.served('mine.example')).toBe('mine');
  expect(await run('-f sites.yaml')).toEqual({ code: 0, out: 'nothing to do\n', err: '' });
  const again = await run('-f sites.yaml --plan');
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toMatch(/^nothing to do\ndigest \S+\n$/);
});

test('changes what the file says, and with --prune deletes what it no longer names', async () => {
  write('sites.yaml', SITES.replace('respond mine', 'respond yours'));
  const changed = await run('-f ./sites.yaml');
  expect(changed).toEqual({
    code: 0,
    out: 'update site http://mine.example: config\n',
    err: summary(1),
  });
  const other = await run('-f -', SITES);
  expect([other.code, other.out]).toEqual([1, '']);
  expect(other.err).toMatch(/stdin:2: policies.lan: .* \(POLICY_TAKEN\)/);
  const adopted = await run('-f - --adopt', SITES);
  expect(adopted.out).toBe('adopt policy lan\nadopt site http://mine.example: config\n');
  const gone = await run('-f - --source stdin --prune --require-all', 'sites: {}\n');
  expect(gone.out).toBe('delete site http://mine.example\ndelete policy lan\n');
  expect(await operator.served('mine.example')).not.toBe('yours');
});

test('a policy in use is not pruned: names it and the sites that have it', async () => {
  write(
    'used.yaml',
    'policies:\n  shared: {recipe: allow, values: {networks: [private_ranges]}}\n',
  );
  await run('-f used.yaml');
  const other = 'sites:\n  http://user.example: {config: respond hi, policies: [shared]}\n';
  expect((await run('-f - --source other', other)).code).toBe(0);
  const refused = await run('-f - --source used --prune', 'sites: {}\n');
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('(POLICY_IN_USE)');
  expect(refused.err).toContain('shared');
  expect(refused.err).toContain('http://user.example');
  expect((await run('-f - --source other --prune', 'sites: {}\n')).code).toBe(0);
  expect((await run('-f - --source used --prune', 'sites: {}\n')).code).toBe(0);
});

test('an export applies to nothing', async () => {
  const site = 'sites:\n  http://c.example:\n    config: respond d\n';
  expect((await run('-f - --source mine', site)).code).toBe(0);
  const all = await operator.run(['export']);
  expect([all.code, all.err]).toEqual([0, '']);
  expect(await run('-f - --source mine', all.out)).toEqual({
    code: 0,
    out: 'nothing to do\n',
    err: '',
  });
  expect(await operator.run(['export', '--source', 'nobody'])).toEqual(refusal('There are: mine.'));
});

describe('--hub', () => {
  let writing = '';
  let reading = '';
  const headers = (token: string) => ({ Authorization: `Bearer ${token}` });
  const remote = (args: string, token: string, input = SITES) =>
    operator.run([...args.split(' ')], { input, before: `export SIGNALBOX_TOKEN=${token}` });

  beforeAll(async () => {
    const owner = await signUp({ hub });
    const tokenOf = async (scope: string) => {
      const json = { name: scope, scope };
      const request = { method: 'POST', headers: owner.headers, json };
      return (await ask<{ token: string }>(`${hub}/tokens`, request)).body.token;
    };
    [writing, reading] = [await tokenOf('write'), await tokenOf('read')];
  });

  test('refuses without a token, and with one that may only read', async () => {
    const url = hub.replace('/api', '');
    for (const before of ['true', 'export SIGNALBOX_TOKEN=', "export SIGNALBOX_TOKEN='a b'"]) {
      expect(
        await operator.run(['apply', '-f', '-', '--hub', url], {
          before,
          input: SITES,
        }),
      ).toEqual(refusal('SIGNALBOX_TOKEN'));
    }
    for (const token of [reading, 'sbx_nonsense']) {
      const { code, out, err } = await remote(`apply -f - --hub ${url}`, token);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/\((FORBIDDEN|UNAUTHENTICATED)\)/);
      expect(err).not.toContain(token);
    }
  });

  test('plans, applies and exports, with the token in a file too', async () => {
    for (const url of [hub, `${hub}/`, hub.replace('/api', '')]) {
      expect((await remote(`apply -f - --plan --hub ${url}`, writing)).code).toBe(2);
    }
    const done = await remote(`apply -f - --hub ${hub}`, writing);
    expect([done.code, done.err]).toEqual([
      0,
      expect.stringContaining('on the machine of the hub'),
    ]);
    expect(done.out).toBe('create policy lan\ncreate site http://mine.example\n');
    writeFileSync(join(folder, 'token'), `${writing}\n`, { mode: 0o600 });
    const shown = await operator.run(['export', '--source', 'stdin', '--hub', hub], {
      before: 'export SIGNALBOX_TOKEN_FILE=token',
    });
    expect([shown.code, shown.err]).toEqual([0, '']);
    expect((await remote(`apply -f - --hub ${hub}`, writing, shown.out)).out).toBe(
      'nothing to do\n',
    );
  });

  test('warns if the token leaves the machine unencrypted', async () => {
    const { err } = await remote(`export --hub ${hub.replace('127.0.0.1', '0.0.0.0')}`, writing);
    expect(err).toContain('0.0.0.0');
    expect(err).toContain('unencrypted');
    expect(err).not.toContain(writing);
  });

  test('takes the token to no other address, and says what is no hub', async () => {
    const seen: string[] = [];
    using other = Bun.serve({
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get('authorization') ?? '');
        return new Response('<html>');
      },
    });
    using moved = Bun.serve({
      port: 0,
      fetch: () => Response.redirect(`http://127.0.0.1:${other.port}/api/apply`, 307),
    });
    const away = await remote(`apply -f - --hub http://127.0.0.1:${moved.port}`, writing);
    expect([away.code, away.out, seen]).toEqual([1, '', []]);
    expect(away.err).toContain(`answers 307 and names http://127.0.0.1:${other.port}`);
    const none = await remote(`apply -f - --hub http://127.0.0.1:${other.port}`, writing);
    expect([none.code, seen.length]).toEqual([1, 1]);
    expect(none.err).toContain('no hub: ');
  });

  test('asks again after a connection that ended, and changes it once', async () => {
    const keys: unknown[] = [];
    const urls: unknown[] = [];
    const relay = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', async () => {
        keys.push(request.headers['idempotency-key']);
        urls.push(request.url);
        const answer = await fetch(`${hub.replace('/api', '')}${request.url}`, {
          method: 'POST',
          body: Buffer.concat(chunks),
          headers: {
            ...headers(writing),
            'Content-Type': 'application/json',
            'Idempotency-Key': String(keys.at(-1)),
          },
        });
        const text = await answer.text();
        if (keys.length === 1) request.socket.destroy();
        else response.setHeader('Content-Type', 'application/json').end(text);
      });
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = relay.address() as AddressInfo;
      const text = 'sites:\n  http://again.example: {config: respond again}\n';
      const command = `apply -f - --require-all --hub http://127.0.0.1:${port}`;
      const done = await remote(command, writing, text);
      expect([done.code, done.out]).toEqual([0, 'create site http://again.example\n']);
      expect(done.err).toStartWith('1 change, published; to undo');
      expect(keys).toEqual([keys[0], keys[0]]);
      expect(urls).toEqual(Array(2).fill('/api/apply?require=all'));
      expect(keys[0]).toMatch(/^\S{20,}$/);
    } finally {
      relay.close();
    }
  });
});
