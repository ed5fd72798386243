/** A clock that jumps by a year, as on a machine that sets it only after the start. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, signUp } from '../../harness/stack.ts';

const DAY = 24 * 60 * 60 * 1000;
const YEAR = 365 * DAY;

const stack = await forFile(startHubAlone());
const { headers } = await signUp(stack);
afterEach(() => {
  setSystemTime();
});

/** Moves the wall clock, which then stands still, and nothing else. */
const jump = (milliseconds: number) => setSystemTime(new Date(Date.now() + milliseconds));

type Session = { expiresAt: string; updatedAt: string };
type Token = { token: string; lastUsedAt: string };

const signIn = (password: string, email = 'ada@example.org') =>
  ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json: { email, password } });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('the last use of a token is stored again after the clock was ahead', async () => {
  const made = await ask<Token>(`${stack.hub}/tokens`, { json: { name: 'script' }, headers });
  const use = () => ask(`${stack.hub}/status`, { headers: bearer(made.body.token) });
  jump(YEAR);
  expect((await use()).status).toBe(200);
  setSystemTime();
  expect((await use()).status).toBe(200);
  const [listed] = (await ask<Token[]>(`${stack.hub}/tokens`, { headers })).body;
  expect(new Date(listed?.lastUsedAt ?? 0).getTime()).toBeLessThanOrEqual(Date.now());
});

test.each([-YEAR, YEAR])(
  'a jump of %d ms makes the uptime neither long nor negative',
  async (by) => {
    jump(by);
    const again = by < 0 ? headers : bearer((await signIn('a long passphrase')).body.token);
    const { body } = await ask<{ uptimeSeconds: number }>(`${stack.hub}/status`, {
      headers: again,
    });
    expect(body.uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(body.uptimeSeconds).toBeLessThan(YEAR / 2000);
  },
);

test('a session made while the clock was ahead lives for seven days from its next use', async () => {
  jump(YEAR);
  const { token } = (await signIn('a long passphrase')).body;
  const idle = (await signIn('a long passphrase')).body.token;
  setSystemTime();
  const latest = Date.now() + 7 * DAY + 60_000;
  expect((await ask(`${stack.hub}/status`, { headers: bearer(token) })).status).toBe(200);
  const listed = await ask<Session[]>(`${stack.hub}/sessions`, { headers: bearer(token) });
  expect(listed.body.length).toBeGreaterThan(1);
  for (const { expiresAt } of listed.body) {
    expect(new Date(expiresAt).getTime()).toBeLessThanOrEqual(latest);
  }
  jump(8 * DAY);
  for (const old of [token, idle]) {
    expect((await ask(`${stack.hub}/status`, { headers: bearer(old) })).status).toBe(401);
  }
});

test('a session ends after 30 days, however often it is used', async () => {
  const { token } = (await signIn('a long passphrase')).body;
  const use = async () => (await ask(`${stack.hub}/sessions`, { headers: bearer(token) })).status;
  for (const days of [6, 6, 6, 6, 5.9]) {
    jump(days * DAY);
    expect(await use()).toBe(200);
  }
  jump(0.2 * DAY);
  expect(await use()).toBe(401);
});

test('a proof counts for an hour, and not if the clock was ahead', async () => {
  const { token } = (await signIn('a long passphrase')).body;
  const post = (path: string, json: object, by = token) =>
    ask<{ code: string; freshUntil: string }>(`${stack.hub}${path}`, { json, headers: bearer(by) });
  const change = async (by = token) => (await post('/tokens', { name: '' }, by)).body.code;
  jump(59 * 60_000);
  expect(await change()).toBe('INVALID_REQUEST');
  jump(2 * 60_000);
  expect(await change()).toBe('SESSION_NOT_FRESH');
  const { body } = await post('/auth/prove', { password: 'a long passphrase' });
  expect(Date.parse(body.freshUntil) - Date.now()).toBe(60 * 60_000);
  expect(await change()).toBe('INVALID_REQUEST');
  jump(2 * DAY);
  const ahead = (await signIn('a long passphrase')).body.token;
  setSystemTime();
  expect(await change(ahead)).toBe('SESSION_NOT_FRESH');
});

test('guesses are not forgotten when the clock jumps ahead', async () => {
  const guess = () => signIn('a wrong passphrase', 'eve@example.org');
  for (let time = 0; time < 10; time++) expect((await guess()).status).toBe(401);
  jump(YEAR);
  expect((await guess()).status).toBe(429);
});

test('guesses counted while the clock was ahead do not lock the account for longer', async () => {
  jump(YEAR);
  for (let time = 0; time < 10; time++) {
    expect((await signIn('a wrong passphrase')).status).toBe(401);
  }
  setSystemTime();
  const refused = await signIn('a long passphrase');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900);
});
