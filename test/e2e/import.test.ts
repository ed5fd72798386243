/** `signalbox import` into a running hub. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, freePort, temporaryFolder } from '../harness/stack.ts';

const folder = temporaryFolder();
const port = freePort();
const env = {
  HUB_PORT: '0',
  AGENT_PORT: '0',
  PROXY_HTTP_PORT: String(port),
  PROXY_HTTPS_PORT: String(freePort()),
};
const file = join(folder, 'theirs.Caddyfile');
let program: Program;

beforeAll(async () => {
  writeFileSync(file, '{\n\tadmin off\n}\n\n# mine\nhttp://mine.example {\n\trespond mine\n}\n');
  program = runProgram([], env, folder);
  await program.address('hub');
});
afterAll(async () => {
  program.child.kill('SIGTERM');
  await program.exited();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], input?: string) =>
  runProgram(['import', ...args], {}, folder, input === undefined ? {} : { input }).exited();
const served = async () =>
  (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'mine.example' } }).catch(() => null))
    ?.text;

describe('signalbox import', () => {
  test('says what is wrong and imports nothing', async () => {
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
    expect(none.err).toContain('no hub runs');
    rmSync(elsewhere, { recursive: true, force: true });
    expect(await served()).not.toBe('mine');
  });

  test('shows on a dry run what would be published, and does it without', async () => {
    const dry = await run([file, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.err).toContain('line 2 left out: admin');
    expect(dry.err).toContain('1 site would be imported');
    expect(dry.out).toContain('# mine\nhttp://mine.example {');
    expect(await served()).not.toBe('mine');
    const done = await run([file]);
    expect([done.code, done.out]).toEqual([0, '1\thttp://mine.example\n']);
    expect(await served()).toBe('mine');
  });

  test('goes through a socket that is its owner’s alone', () => {
    expect(statSync(join(folder, 'data/hub.sock')).mode & 0o777).toBe(0o600);
  });
});
