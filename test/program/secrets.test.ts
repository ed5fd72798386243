/** The secrets that the program makes for itself, after a crash or a full disk has damaged them. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSetupCode } from '../../src/hub/auth/accounts/setup-code.ts';
import { ownToken } from '../../src/program/serve/first-run.ts';
import { fixedToken } from '../../src/shared/bearer.ts';
import { ask, type Stack, startStack, temporaryFolder } from '../harness/stack.ts';

let folder: string;
let stack: Stack | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const DAMAGES: [string, (file: string) => void][] = [
  ['emptied', (file) => truncateSync(file, 0)],
  ['cut', (file) => truncateSync(file, 10)],
  ['full of NULs', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
  ['with NULs at its end', (file) => truncateSync(file, 100)],
  ['of blanks', (file) => writeFileSync(file, ' '.repeat(44))],
];

test.each(DAMAGES)('a file that is %s is replaced, and opens nothing', (_, damage) => {
  const file = join(folder, 'secret');
  const replaced: string[] = [];
  const onReplaced = (path: string) => void replaced.push(path);
  const token = ownToken(file, onReplaced);
  damage(file);
  const next = ownToken(file, onReplaced);
  expect(next).toMatch(/^[\w-]{43}$/);
  expect(next).not.toBe(token);
  expect([replaced, statSync(file).mode & 0o777]).toEqual([[file], 0o600]);

  rmSync(file);
  const running = createSetupCode(file, onReplaced);
  const code = running.read();
  damage(file);
  const damaged = readFileSync(file, 'utf8').trim();
  for (const given of ['', damaged]) expect(running.matches(given)).toBe(false);
  const started = createSetupCode(file, onReplaced);
  for (const given of ['', damaged, code]) expect(started.matches(given)).toBe(false);
  expect(started.read()).toMatch(/^[\w-]{20}$/);
  expect(started.matches(readFileSync(file, 'utf8'))).toBe(true);
  expect(replaced).toEqual([file, file]);
});

test('a start with a damaged token and setup code makes new ones, which stay secret', async () => {
  stack = await startStack({}, folder);
  const [tokenFile, codeFile] = ['agent-token', 'setup-code'].map((name) =>
    join((stack as Stack).dataDir, name),
  ) as [string, string];
  const read = (file: string) => readFileSync(file, 'utf8').trim();
  const before = { token: read(tokenFile), code: read(codeFile) };
  for (const file of [tokenFile, codeFile]) truncateSync(file, 10);
  const cut = { token: read(tokenFile), code: read(codeFile) };
  const signUp = (setupCode: string) =>
    ask<{ code: string; token: string }>(`${stack?.hub}/auth/sign-up/email`, {
      json: { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase', setupCode },
      headers: { 'X-Forwarded-For': '192.0.2.1' },
    });
  await stack.restart();
  const after = { token: read(tokenFile), code: read(codeFile) };
  const replaced = stack.lines.filter((line) => line.includes('secret replaced'));
  for (const file of [tokenFile, codeFile]) expect(replaced.join()).toContain(file);
  expect(replaced).toHaveLength(2);
  for (const secret of Object.values(after)) expect(stack.lines.join()).not.toContain(secret);
  for (const token of ['', cut.token, before.token]) {
    const headers = { Authorization: `Bearer ${token}` };
    expect((await ask(`${stack.agent}/proxy/status`, { headers })).status).toBe(401);
  }
  for (const code of ['', cut.code, before.code]) {
    const answer = await signUp(code);
    expect([answer.status, answer.body.code]).toEqual([403, 'SETUP_CODE_REQUIRED']);
  }
  const signedUp = await signUp(after.code);
  expect(signedUp.status).toBe(200);
  // The hub has the agent's new token.
  const headers = { Authorization: `Bearer ${signedUp.body.token}` };
  const json = { domain: 'http://a.example', config: 'respond a' };
  expect((await ask(`${stack.hub}/vhosts`, { json, headers })).status).toBe(201);
});

test('a setup code that replaces a damaged one is no fresher than that', () => {
  const file = join(folder, 'setup-code');
  const now = new Date();
  writeFileSync(file, '');
  utimesSync(file, now, new Date(now.getTime() - 16 * 60_000));
  const setupCode = createSetupCode(file, () => {});
  expect(setupCode.read()).toHaveLength(20);
  expect(setupCode.isFresh(now)).toBe(false);
  setupCode.forget();
  expect(setupCode.read()).toHaveLength(20);
  expect(setupCode.isFresh(now)).toBe(true);
});

test('a setup code outlives its file', () => {
  const file = join(folder, 'setup-code');
  const setupCode = createSetupCode(file, () => {});
  const code = setupCode.read();
  rmSync(file);
  expect([setupCode.matches(''), setupCode.matches(code)]).toEqual([false, true]);
});

test.each(['', 'x'.repeat(31)])('the agent accepts no token as short as %j', (token) => {
  expect(() => fixedToken(token)).toThrow('32 characters');
});
