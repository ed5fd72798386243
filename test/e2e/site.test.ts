/** `signalbox site` for scripts on the host. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createOperator } from '../harness/operator.ts';
import { runProgram } from '../harness/program.ts';
import { temporaryFolder } from '../harness/stack.ts';

// A site that does not pass its check is asked for five seconds.
setDefaultTimeout(30_000);

const operator = createOperator();
const site = (args: string[], input?: string) =>
  operator.run(['site', ...args], input === undefined ? {} : { input });

beforeAll(() => operator.start());
afterAll(operator.close);

describe('signalbox site', () => {
  test.each([
    [[]],
    [['list', 'a.example']],
    [['off', 'a.example', '127.0.0.1:1']],
    [['rm', 'a.example', '--off']],
    [['add', 'a.example']],
    [['add', 'a.example', '127.0.0.1:1', 'x']],
    [['on', 'a.example', '--check', '/']],
    [['add', 'a.example', '127.0.0.1:1', '--expect', '200']],
    [['add', 'a.example', '127.0.0.1:1', '--check', 'health']],
    [['add', 'a.example', '127.0.0.1:1', '--check', '/', '--expect', 'ok']],
    [['add', 'a.example', '127.0.0.1:1', '--check', '/', '--expect', '100']],
  ])('%j is wrong usage', async (args) => {
    const { code, out, err } = await site(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('signalbox');
  });

  test('needs a hub, and the file', async () => {
    const elsewhere = temporaryFolder();
    const none = await runProgram(['site', 'list'], {}, elsewhere).exited();
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toContain('signalbox site: no hub is running');
    rmSync(elsewhere, { recursive: true, force: true });
    const missing = await site(['add', 'a.example', '--config', 'nowhere']);
    expect([missing.code, missing.err]).toEqual([1, 'signalbox site: nowhere cannot be read\n']);
  });

  test('prints why it was refused, and how to fix it, and changes nothing', async () => {
    const bad = await site(['add', 'http://a.example', '--config', '-'], 'redirect /a /b\n');
    expect([bad.code, bad.out]).toEqual([1, '']);
    expect(bad.err).toEndWith(
      '(PROXY_REJECTED)\n  line 1: unrecognized directive: redirect\n  Did you mean `redir`?\n',
    );
    const url = await site(['add', 'http://a.example', 'http://127.0.0.1:1/']);
    expect([url.code, url.err]).toEqual([
      1,
      expect.stringContaining('  Write http://127.0.0.1:1. '),
    ]);
    expect((await site(['list'])).out).toBe('');
  });

  test('does not add a site that does not answer as its check expects', async () => {
    const add = ['add', 'http://a.example', '--config', '-', '--check', '/ready'];
    const bad = await site([...add, '--expect', '204'], 'respond a\n');
    expect([bad.code, bad.out]).toEqual([1, '']);
    expect(bad.err).toContain('(CHECK_FAILED)\n  GET /ready answered 200 instead of 204\n');
    expect((await site(['list'])).out).toBe('');
  });

  test('adds, lists, turns on and off, and removes', async () => {
    const added = await site(['add', 'http://a.example', '--config', '-'], 'respond a\n');
    expect([added.code, added.out, added.err]).toEqual([0, '1\thttp://a.example\t\ton\n', '']);
    expect(await operator.served('a.example')).toBe('a');
    const second = await site([
      'add',
      'http://b.example',
      '127.0.0.1:9',
      '--off',
      '--json',
      '--check=/x',
      '--expect=204',
    ]);
    expect(JSON.parse(second.out)).toMatchObject({
      check: { path: '/x', status: 204 },
      id: 2,
      config: 'reverse_proxy {upstream}',
      upstream: '127.0.0.1:9',
      enabled: false,
    });
    expect(second.out).not.toContain('"warnings"');
    const taken = await site(['add', 'http://A.example', '127.0.0.1:9']);
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining('(DOMAIN_TAKEN)')]);
    expect((await site(['list'])).out).toBe(
      '1\thttp://a.example\t\ton\n2\thttp://b.example\t127.0.0.1:9\toff\n',
    );

    for (let again = 0; again < 2; again++) {
      const off = await site(['off', 'http://A.example']);
      expect([off.code, off.out]).toEqual([0, '1\thttp://a.example\t\toff\n']);
    }
    expect(await operator.served('a.example')).not.toBe('a');
    expect((await site(['on', 'a.example'])).out).toEndWith('\ton\n');
    expect(await operator.served('a.example')).toBe('a');

    const gone = await site(['rm', 'http://c.example']);
    expect([gone.code, gone.err]).toEqual([
      1,
      'signalbox site: There is no site http://c.example. (NOT_FOUND)\n  Did you mean http://a.example?\n',
    ]);
    const removed = await site(['rm', 'http://a.example']);
    expect([removed.code, removed.out]).toEqual([0, '1\thttp://a.example\t\ton\n']);
    expect(await operator.served('a.example')).not.toBe('a');
    const list = JSON.parse((await site(['list', '--json'])).out) as { id: number }[];
    expect(list.map(({ id }) => id)).toEqual([2]);
  }, 30_000);
});
