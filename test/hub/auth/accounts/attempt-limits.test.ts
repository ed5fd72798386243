import { expect, test } from 'bun:test';
import { createThrottle } from '../../../../src/hub/auth/accounts/attempt-limits.ts';
import { Failure } from '../../../../src/shared/failure.ts';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';
import { ask, signUp } from '../../../harness/stack.ts';

const secondsUntilFree = (call: () => void): number | undefined => {
  try {
    call();
  } catch (error) {
    if (error instanceof Failure && error.code === 'RATE_LIMITED') return error.retryAfter;
    throw error;
  }
  return undefined;
};

test('a key has a limited number of attempts in any window', () => {
  let at = 0;
  const throttle = createThrottle(2, 10_000, () => at);
  throttle.take('a');
  at = 4_000;
  throttle.take('a');
  expect(secondsUntilFree(() => throttle.take('a'))).toBe(6);
  expect(secondsUntilFree(() => throttle.check('b'))).toBeUndefined();
  at = 9_500;
  expect(secondsUntilFree(() => throttle.check('a'))).toBe(1);
  at = 10_000;
  throttle.take('a');
  expect(secondsUntilFree(() => throttle.take('a'))).toBe(4);
});

test('exhausted are those without an attempt left, the latest first', () => {
  let at = 0;
  const throttle = createThrottle(2, 10, () => at);
  const back = throttle.take('a');
  for (const key of ['b', 'b', 'c', 'd', 'd', 'a']) throttle.take(key);
  expect(throttle.exhausted(9)).toEqual(['a', 'd', 'b']);
  expect(throttle.exhausted(2)).toEqual(['a', 'd']);
  back();
  expect(throttle.exhausted(9)).toEqual(['d', 'b']);
  at = 10;
  expect(throttle.exhausted(9)).toEqual([]);
});

test('an attempt that is undone does not count; a second undo changes nothing', () => {
  const throttle = createThrottle(1, 10, () => 0);
  const back = throttle.take('a');
  back();
  expect(throttle.size()).toBe(0);
  throttle.take('a');
  expect(secondsUntilFree(() => throttle.take('a'))).toBe(1);
});

test('the least recently used keys are forgotten at the limit', () => {
  const throttle = createThrottle(2, 10, () => 0, 100);
  throttle.take('kept');
  for (let other = 0; other < 1_000; other++) {
    throttle.take(`other ${other}`);
    if (other === 50) throttle.take('kept');
    if (other === 140) expect(secondsUntilFree(() => throttle.check('kept'))).toBe(1);
  }
  expect(throttle.size()).toBe(100);
  expect(secondsUntilFree(() => throttle.check('kept'))).toBeUndefined();
});

const PASSWORD = 'a long passphrase';
const signIn = (
  stack: HubAlone,
  email: string,
  password = 'a wrong passphrase',
  headers: Record<string, string> = {},
) =>
  ask<{ code: string }>(`${stack.hub}/auth/sign-in/email`, { json: { email, password }, headers });

test('the eleventh attempt at an account is throttled, whether it exists or not, right or wrong', async () => {
  const stack = await startHubAlone();
  await signUp(stack);
  await signIn(stack, 'ada@example.org', PASSWORD);
  for (const email of ['ada@example.org', 'eve@example.org']) {
    for (let time = 0; time < 12; time++) {
      await ask(`${stack.hub}/auth/sign-in/email`, { json: { email } });
      await ask(`${stack.hub}/auth/sign-in/email`, { raw: '{' });
    }
    for (let time = 0; time < 10; time++) {
      const forged = { 'X-Forwarded-For': `198.51.100.${time}` };
      expect((await signIn(stack, email, undefined, forged)).status).toBe(401);
    }
  }
  const known = await signIn(stack, 'ADA@example.org', PASSWORD, { 'X-Forwarded-For': '::1' });
  const unknown = await signIn(stack, 'eve@example.org');
  expect([known.status, known.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(known.text).toBe(unknown.text);
  const seconds = Number(known.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(900);

  // Ten more, each at another account, use up the thirty attempts of this address.
  for (let time = 0; time < 10; time++) {
    expect((await signIn(stack, `a${time}@example.org`)).status).toBe(401);
  }
  expect((await signIn(stack, 'new@example.org')).status).toBe(429);
  await stack.stop();
});

test('sign-ups are counted by address, whatever X-Forwarded-For says, and concurrent guesses too', async () => {
  const stack = await startHubAlone({ SIGN_UP: 'open' });
  const make = (number: number, password = PASSWORD) =>
    ask<{ code: string }>(`${stack.hub}/auth/sign-up/email`, {
      json: { name: 'A', email: `a${number}@example.org`, password },
      headers: number === 0 ? {} : { 'X-Forwarded-For': `198.51.100.${number}` },
    });
  expect((await make(0)).status).toBe(200);
  for (let number = 0; number < 25; number++) {
    expect((await make(number, 'short')).status).toBe(400);
  }
  for (let number = 1; number < 20; number++) expect((await make(number)).status).toBe(200);
  const last = await make(20);
  expect([last.status, last.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);

  const all = await Promise.all(Array.from({ length: 25 }, () => signIn(stack, 'eve@example.org')));
  const count = (status: number) => all.filter((answer) => answer.status === status).length;
  expect([count(401), count(429)]).toEqual([10, 15]);
  await stack.stop();
});

test('behind a trusted proxy the last hop is the client, and a /64 is one client', async () => {
  const stack = await startHubAlone({ TRUST_PROXY: 'true' });
  const from = (hop: string, email: string) =>
    signIn(stack, email, undefined, { 'X-Forwarded-For': `192.0.2.${email.length}, ${hop}` });
  for (let time = 0; time < 30; time++) {
    const answer = await from(
      `2001:db8:0:1::${time.toString(16)}`,
      `${'x'.repeat(time)}a@a.example`,
    );
    expect(answer.status).toBe(401);
  }
  expect((await from('2001:db8:0:1:ffff::', 'new@a.example')).status).toBe(429);
  expect((await from('2001:db8:0:2::', 'new@a.example')).status).toBe(401);
  await stack.stop();
});
