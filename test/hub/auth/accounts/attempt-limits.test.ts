import { expect, test } from 'bun:test';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';
import { ask, signUp } from '../../../harness/stack.ts';

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
