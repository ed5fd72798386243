/** `signalbox import` into a running hub. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperator } from '../harness/operator.ts';
import { runProgram } from '../harness/program.ts';
import { temporaryFolder } from '../harness/stack.ts';

const operator = createOperator();
const { folder } = operator;
const file = join(folder, 'theirs.Caddyfile');
const run = (args: string[], input?: string) =>
  operator.run(['import', ...args], input === undefined ? {} : { input });
const served = () => operator.served('mine.example');

beforeAll(async () => {
  writeFileSync(file, '{\n\tadmin off\n}\n\n# mine\nhttp://mine.example {\n\trespond mine\n}\n');
  await operator.start();
});
afterAll(operator.close);

describe('signalbox import', () => {
  test('reports what is wrong, and imports nothing', async () => {
    expect((await run([])).code).toBe(2);
    expect((await run([file, '--nonsense'])).code).toBe(2);
    const missing = await run(['nowhere.Caddyfile']);
    expect([missing.code, missing.out]).toEqual([1, '']);
    expect(missing.err).toContain('nowhere.Caddyfile cannot be read');
    const bad = await run(['-'], 'http://a.example {\n\trespnd\n}\n');
    expect([bad.code, bad.out]).toEqual([1, '']);
    expect(bad.err).toContain('unrecognized directive: respnd');
    const elsewhere = temporaryFolder();
    const none = await runProgram(['import', file], {}, elsewhere).exited();
    expect(none.code).toBe(1);
    expect(none.err).toContain('no hub is running');
    rmSync(elsewhere, { recursive: true, force: true });
    expect(await served()).not.toBe('mine');
  });

  test('shows on a dry run what it would publish, and publishes it without', async () => {
    const dry = await run([file, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.err).toContain('line 2 skipped: admin');
    expect(dry.err).toContain('1 site would be imported');
    expect(dry.out).toContain('# mine\nhttp://mine.example {');
    expect(await served()).not.toBe('mine');
    const done = await run([file]);
    expect([done.code, done.out]).toEqual([0, '1\thttp://mine.example\n']);
    expect(await served()).toBe('mine');
  });

  test('uses a socket that only its owner can open, and a secret that only its owner can read', async () => {
    const [unix, secret] = [join(folder, 'data/hub.sock'), join(folder, 'data/hub.secret')];
    const proxyfile = 'http://evil.example {\n\trespond evil\n}\n';
    for (const Authorization of ['', 'Bearer ', `Bearer ${'x'.repeat(43)}`]) {
      const init = { method: 'POST', unix, headers: { Authorization } };
      const body = JSON.stringify({ proxyfile });
      const answer = await fetch('http://signalbox/import', { ...init, body });
      expect([answer.status, await answer.json()]).toMatchObject([
        401,
        { code: 'UNAUTHENTICATED' },
      ]);
    }
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data/hub.sock')).mode & 0o777).toBe(0o600);
  });
});
