// proof: program
/** `signalbox site` for scripts on the host. */
import { expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askLocalHub } from '../../../src/program/cli/api/local-hub.ts';
import { forFile } from '../../harness/for-file.ts';
import { createOperator, refusal } from '../../harness/operator.ts';
import { runProgram } from '../../harness/program.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';
import { asUser, isRoot, NOBODY } from '../../harness/unprivileged.ts';
import { words } from '../../harness/words.ts';

// A site that does not pass its check is asked for five seconds.

const operator = await forFile(createOperator());
const site = (args: string[], input?: string) =>
  operator.run(['site', ...args], input === undefined ? {} : { input });

await operator.start();

test('needs a hub, and the file', async () => {
  const elsewhere = temporaryFolder();
  expect(await runProgram(['site', 'list'], {}, elsewhere).exited()).toEqual(
    refusal('signalbox site: no hub is running'),
  );
  if (isRoot) {
    const mine = join(elsewhere, 'mine');
    mkdirSync(mine, { mode: 0o700 });
    const more = { prefix: asUser(NOBODY) };
    const closed = await runProgram(['site', 'list'], { DATA_DIR: mine }, '/', more).exited();
    expect([closed.code, closed.err]).toEqual([
      1,
      `signalbox site: ${mine} cannot be used: permission denied\n  Be root or the user who runs the hub.\n`,
    ]);
  }
  rmSync(elsewhere, { recursive: true, force: true });
  const missing = await site(['add', 'a.example', '--config', 'nowhere']);
  expect([missing.code, missing.err]).toEqual([
    1,
    'signalbox site: nowhere cannot be read: there is no such file or folder\n',
  ]);
});

test('prints why it was refused, and how to fix it, and changes nothing', async () => {
  const bad = await site(['add', 'http://a.example', '--config', '-'], 'redirect /a /b\n');
  expect([bad.code, bad.out]).toEqual([1, '']);
  expect(bad.err).toEndWith(
    '(PROXY_REJECTED)\n  line 1: unrecognized directive: redirect\n  Did you mean `redir`?\n',
  );
  expect(await site(['add', 'http://a.example', 'http://127.0.0.1:1/'])).toEqual(
    refusal('  Write http://127.0.0.1:1. '),
  );
  expect((await site(['list'])).out).toBe('');
});

test('does not add a site that does not answer as its check expects', async () => {
  const add = ['add', 'http://a.example', '--config', '-', '--check', '/ready'];
  expect(await site([...add, '--expect', '204'], 'respond a\n')).toEqual(
    refusal('(CHECK_FAILED)\n  GET /ready answered 200 instead of 204\n'),
  );
  expect((await site(['list'])).out).toBe('');
});

test('adds, lists, turns on and off, and removes', async () => {
  const added = await site(['add', 'http://a.example', '--config', '-'], 'respond a\n');
  expect([added.code, added.out, added.err]).toEqual([0, '1\thttp://a.example\t\ton\n', '']);
  expect(await operator.served('a.example')).toBe('a');
  const second = await site(
    words(`
    add http://b.example 127.0.0.1:9 --off --json --check=/x --expect=204 --every=0
  `),
  );
  expect(JSON.parse(second.out)).toMatchObject({
    check: { path: '/x', status: 204, every: 0 },
    id: 2,
    config: 'reverse_proxy {upstream}',
    upstream: '127.0.0.1:9',
    enabled: false,
  });
  expect(second.out).not.toContain('"warnings"');
  expect(await site(['add', 'http://A.example', '127.0.0.1:9'])).toEqual(refusal('(DOMAIN_TAKEN)'));
  expect((await site(['list'])).out).toMatch(
    /^1\thttp:\/\/a\.example\t\t(checking|live)\n2\thttp:\/\/b\.example\t127\.0\.0\.1:9\toff\n$/,
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
});

const whole = 'http://w.example, http://www.w.example {\n\trespond w\n}\n';

test('shows all of a site, by any of its addresses', async () => {
  await site(['add', 'http://w.example', '--config', '-'], whole);
  expect(await site(['show', 'w.exmple'])).toEqual(
    refusal('There is no site w.exmple. (NOT_FOUND)\n'),
  );
  const shown = await site(['show', 'www.w.example']);
  expect([shown.code, shown.err]).toEqual([0, '']);
  expect(shown.out).toMatch(
    /^domain {4}http:\/\/w\.example\nalso at {3}http:\/\/www\.w\.example\nid {8}3\nstate {5}(?:checking|live)\nproxies {3}all\nchanged {3}\S+Z\n\nhttp/,
  );
  expect(shown.out).toEndWith(`\n\n${whole}`);
  const json = await site(['show', 'W.example', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ id: 3, config: whole, policies: [] });
  // What would change it wants its domain.
  const off = await site(['rm', 'www.w.example']);
  expect([off.code, off.err]).toEqual([
    1,
    'signalbox site: There is no site www.w.example. (NOT_FOUND)\n  It is an address of http://w.example.\n',
  ]);
});

test('says that a site is down, and what is wrong, until somebody knows of it', async () => {
  const message = '127.0.0.1:9 does not answer: ';
  const status = async () => {
    const { code, out, err } = await operator.run(['status', '--json']);
    return { code, err, ...(JSON.parse(out) as { problems: { key: string; code: string }[] }) };
  };
  // Who runs the tests, and with which Caddy, is a problem of its own.
  const know = async () => {
    for (const { key } of (await status()).problems) {
      const path = `/problems/${key}/known`;
      const env = { DATA_DIR: join(operator.folder, 'data') };
      await askLocalHub(env, { method: 'PUT', path, body: { until: null } });
    }
  };
  await know();
  expect(await status()).toMatchObject({ code: 0, err: 'No problems\n' });

  await site(['add', 'http://dead.example', '127.0.0.1:9']);
  const list = await until(async () => {
    const listed = await site(['list']);
    const isKnown = ['\t127.0.0.1:9\tdown\n', '\thttp://w.example\t\tlive\n'];
    return isKnown.every((line) => listed.out.includes(line)) && listed;
  }, 'a site that is down, and one that is live');
  expect([list.code, list.err]).toEqual([0, '']);
  const shown = await site(['show', 'dead.example']);
  expect(shown.out).toContain(`\nstate     down: ${message}`);
  for (const words of [['list'], ['show', 'dead.example']]) {
    const json = await site([...words, '--json']);
    expect([JSON.parse(json.out)].flat()).toContainEqual(
      expect.objectContaining({
        domain: 'http://dead.example',
        health: { level: 'bad', label: 'down', text: expect.stringContaining(message) },
      }),
    );
  }
  const rows = await operator.run(['status']);
  expect([rows.code, rows.err]).toEqual([1, '1 problem\n']);
  expect(rows.out.split('\n')[0]).toMatch(
    /^bad\t\S+Z\thttp:\/\/dead\.example\t127\.0\.0\.1:9 does not answer: [^\t]+$/,
  );
  const found = await status();
  expect(found).toMatchObject({ code: 1, err: '1 problem\n' });
  expect(found.problems[0]).toMatchObject({ code: 'UPSTREAM_DOWN' });

  await know();
  expect((await site(['list'])).out).toContain('\tdown, known\n');
  const known = await operator.run(['status']);
  expect([known.code, known.err]).toEqual([0, 'No problems\n']);
  expect(known.out).toMatch(/^known\t[^\n]+ does not answer/m);
});
