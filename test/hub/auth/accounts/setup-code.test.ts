import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../../../../src/shared/loopback.ts';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';
import { ask } from '../../../harness/stack.ts';

let stack: HubAlone;
afterEach(() => stack.stop());

const file = () => join(stack.dataDir, 'setup-code');
const make = (more: object, headers: Record<string, string> = {}) =>
  ask<{ code: string }>(`${stack.hub}/auth/sign-up/email`, {
    json: { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase', ...more },
    headers,
  });

async function expectGuarded(): Promise<void> {
  const code = readFileSync(file(), 'utf8').trim();
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  for (const wrong of [{}, { setupCode: '' }, { setupCode: 'guess' }, { setupCode: `${code}x` }]) {
    const answer = await make(wrong);
    expect([answer.status, answer.body.code]).toEqual([403, 'SETUP_CODE_REQUIRED']);
    expect(answer.text).not.toContain(code);
  }
  expect((await make({ setupCode: code })).status).toBe(200);
  expect(existsSync(file())).toBe(false);
  expect((await make({ setupCode: code })).body.code).toBe('SIGN_UP_CLOSED');
}

describe('the first account requires the setup code', () => {
  // After which requests besides: see test/attack/first-owner.test.ts.
  test('and nothing like it; it survives a restart, and ends with its use', async () => {
    stack = await startHubAlone({ HUB_HOST: '0.0.0.0' });
    const before = readFileSync(file(), 'utf8');
    await stack.restart();
    expect(readFileSync(file(), 'utf8')).toBe(before);
    await expectGuarded();
  });

  test('under every policy that lets strangers sign up', async () => {
    stack = await startHubAlone({ HUB_HOST: '0.0.0.0', SIGN_UP: 'open' });
    expect((await make({})).body.code).toBe('SETUP_CODE_REQUIRED');
  });
});

test('on loopback it is not required, and a stale code is deleted at the next start', async () => {
  stack = await startHubAlone();
  const port = new URL(stack.hub).port;
  expect((await make({ password: 'short' }, { Host: `[::1]:${port}` })).status).toBe(400);
  expect((await make({}, { Host: `localhost:${port}` })).status).toBe(200);
  expect(existsSync(file())).toBe(false);
  writeFileSync(file(), 'old');
  await stack.restart();
  expect(existsSync(file())).toBe(false);
});

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.2', false],
  ['127.example.org', false],
])('%s is loopback: %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
