/** The secrets that the program makes for itself, after a crash or a full disk has damaged them. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedTokens } from '../../agent/bearer.ts';
import { createSetupCode } from '../../src/hub/auth/accounts/setup-code.ts';
import { ask, type Stack, signUp, startStack, temporaryFolder } from '../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const DAMAGES: [string, (file: string) => void][] = [
  ['emptied', (file) => truncateSync(file, 0)],
  ['cut', (file) => truncateSync(file, 10)],
  ['full of NULs', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
  ['with NULs at its end', (file) => truncateSync(file, 100)],
  ['of blanks', (file) => writeFileSync(file, ' '.repeat(44))],
];

const signUpFrom = (of: Stack, more: object, headers: Record<string, string>) =>
  ask<{ code: string }>(`${of.hub}/auth/sign-up/email`, {
    json: { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase', ...more },
    headers,
  });

describe.each(DAMAGES)('a file that is %s', (_, damage) => {
  test('is replaced at the start, if it holds the token, which stays secret', async () => {
    stack = await startStack();
    const file = join(stack.dataDir, 'agent-token');
    damage(file);
    const damaged = readFileSync(file, 'utf8').trim();
    await stack.restart();
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stack.lines.filter((line) => line.includes('secret replaced'))).toEqual([
      expect.stringContaining(file),
    ]);
    expect(stack.lines.join()).not.toContain(token);
    const status = `${stack.agent}/proxy/status`;
    expect((await ask(status)).status).toBe(401);
    const before = { Authorization: `Bearer ${damaged}` };
    if (!damaged.includes('\0')) expect((await ask(status, { headers: before })).status).toBe(401);
    const { headers } = await signUp(stack);
    const vhost = { domain: 'http://a.example', config: 'respond a' };
    expect((await ask(`${stack.hub}/vhosts`, { json: vhost, headers })).status).toBe(201);
  });

  test('lets nobody sign up, if it holds the setup code', async () => {
    stack = await startStack();
    const file = join(stack.dataDir, 'setup-code');
    const code = readFileSync(file, 'utf8').trim();
    damage(file);
    const damaged = readFileSync(file, 'utf8').trim();
    const far = { 'X-Forwarded-For': '192.0.2.1' };
    const refused = async () => {
      for (const setupCode of ['', damaged]) {
        const answer = await signUpFrom(stack as Stack, { setupCode }, far);
        expect([answer.status, answer.body.code]).toEqual([403, 'SETUP_CODE_REQUIRED']);
      }
    };
    await refused();
    await stack.restart();
    await refused();
    const next = readFileSync(file, 'utf8').trim();
    expect(next).toMatch(/^[\w-]{20}$/);
    expect(stack.lines.filter((line) => line.includes('secret replaced'))).toEqual([
      expect.stringContaining(file),
    ]);
    expect((await signUpFrom(stack, { setupCode: code }, far)).status).toBe(403);
    expect((await signUpFrom(stack, { setupCode: next }, far)).status).toBe(200);
  });
});

test('a setup code that replaces a damaged one is no fresher than that', () => {
  const file = join(temporaryFolder(), 'setup-code');
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
  const file = join(temporaryFolder(), 'setup-code');
  const setupCode = createSetupCode(file, () => {});
  const code = setupCode.read();
  rmSync(file);
  expect([setupCode.matches(''), setupCode.matches(code)]).toEqual([false, true]);
});

test.each(['', 'x'.repeat(31)])('the agent accepts no token as short as %j', (token) => {
  expect(() => fixedTokens(['x'.repeat(32), token])).toThrow('32 characters');
});
