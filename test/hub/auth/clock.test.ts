/** A clock that jumps by a year, as on a machine that sets it only after the start. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { ask, type Stack, signUp, startStack } from '../../harness/stack.ts';

const DAY = 24 * 60 * 60 * 1000;
const YEAR = 365 * DAY;

let stack: Stack | undefined;
afterEach(async () => {
  setSystemTime();
  await stack?.stop();
  stack = undefined;
});

/** Moves the wall clock, which then stands still, and nothing else. */
const jump = (milliseconds: number) => setSystemTime(new Date(Date.now() + milliseconds));

type Session = { expiresAt: string; updatedAt: string };
type Token = { token: string; lastUsedAt: string };

const signIn = (of: Stack, password: string) =>
  ask<{ token: string }>(`${of.hub}/auth/sign-in/email`, {
    json: { email: 'ada@example.org', password },
  });

test.each([YEAR, -YEAR])(
  'a jump of %d ms makes the uptime neither long nor negative',
  async (by) => {
    stack = await startStack();
    const { headers } = await signUp(stack);
    jump(by);
    const again = by < 0 ? headers : bearer((await signIn(stack, 'a long passphrase')).body.token);
    const { body } = await ask<{ uptimeSeconds: number }>(`${stack.hub}/status`, {
      headers: again,
    });
    expect(body.uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(body.uptimeSeconds).toBeLessThan(YEAR / 2000);
  },
);

test('guesses counted while the clock was ahead do not lock the account for longer', async () => {
  stack = await startStack();
  await signUp(stack);
  jump(YEAR);
  for (let time = 0; time < 10; time++) {
    expect((await signIn(stack, 'a wrong passphrase')).status).toBe(401);
  }
  setSystemTime();
  const refused = await signIn(stack, 'a long passphrase');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900);
});

test('guesses are not forgotten when the clock jumps ahead', async () => {
  stack = await startStack();
  await signUp(stack);
  for (let time = 0; time < 10; time++) await signIn(stack, 'a wrong passphrase');
  jump(YEAR);
  expect((await signIn(stack, 'a long passphrase')).status).toBe(429);
});

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('a session made while the clock was ahead lives for seven days from its next use', async () => {
  stack = await startStack();
  await signUp(stack);
  jump(YEAR);
  const { token } = (await signIn(stack, 'a long passphrase')).body;
  const idle = (await signIn(stack, 'a long passphrase')).body.token;
  setSystemTime();
  const latest = Date.now() + 7 * DAY + 60_000;
  expect((await ask(`${stack.hub}/status`, { headers: bearer(token) })).status).toBe(200);
  const listed = await ask<Session[]>(`${stack.hub}/sessions`, {
    headers: bearer(token),
  });
  expect(listed.body).toHaveLength(2);
  for (const { expiresAt } of listed.body) {
    expect(new Date(expiresAt).getTime()).toBeLessThanOrEqual(latest);
  }
  jump(8 * DAY);
  for (const old of [token, idle]) {
    expect((await ask(`${stack.hub}/status`, { headers: bearer(old) })).status).toBe(401);
  }
});

test('the last use of a token is stored again after the clock was ahead', async () => {
  stack = await startStack();
  const owner = await signUp(stack);
  const made = await ask<Token>(`${stack.hub}/tokens`, {
    json: { name: 'script' },
    headers: owner.headers,
  });
  const use = () => ask(`${stack?.hub}/status`, { headers: bearer(made.body.token) });
  jump(YEAR);
  expect((await use()).status).toBe(200);
  setSystemTime();
  expect((await use()).status).toBe(200);
  const [listed] = (await ask<Token[]>(`${stack.hub}/tokens`, { headers: owner.headers })).body;
  expect(new Date(listed?.lastUsedAt ?? 0).getTime()).toBeLessThanOrEqual(Date.now());
});
