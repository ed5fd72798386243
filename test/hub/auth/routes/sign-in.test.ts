import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inDatabase } from '../../../harness/database.ts';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';
import { type Answer, ask, signUp } from '../../../harness/stack.ts';
import { words } from '../../../harness/words.ts';

const GOOD = { name: 'Ada', email: 'Ada@Example.org', password: 'a long passphrase' };
const PASSWORD = GOOD.password;
type Body = { code: string; message: string; field?: string };

let stack: HubAlone;
const cookieName = () => `signalbox_session_${new URL(stack.hub).port}`;
const at = (path: string) => `${stack.hub}/auth${path}`;
const signUpWith = (json: unknown) => ask<Body>(at('/sign-up/email'), { json });
const signInWith = (json: unknown) => ask<Body>(at('/sign-in/email'), { json });

/** An error has its code, the name of the field at fault, if any, and nothing that was sent. */
function expectRefusal(answer: Answer<Body>, status: number, code: string, field?: string): void {
  expect(answer.status).toBe(status);
  expect<object>(answer.body).toEqual({
    code,
    message: expect.any(String),
    ...(field !== undefined && { field }),
  });
  expect(answer.text).not.toContain(PASSWORD);
  expect(answer.headers.get('set-cookie')).toBeNull();
}

describe('before there is an account', () => {
  beforeAll(async () => {
    stack = await startHubAlone();
  });
  afterAll(() => stack.stop());

  test.each([
    ['a short password', { password: '1234567' }, 'PASSWORD_TOO_SHORT'],
    ['a short password of astral characters', { password: '🚂🚃🚃🚃' }, 'PASSWORD_TOO_SHORT'],
    ['a long password', { password: 'x'.repeat(129) }, 'PASSWORD_TOO_LONG'],
    ['a common password', { password: 'password123' }, 'PASSWORD_TOO_COMMON'],
    ['a common password in capitals', { password: 'PassWord123' }, 'PASSWORD_TOO_COMMON'],
    ['no password', { password: undefined }, 'VALIDATION_ERROR'],
    ['a password that is not text', { password: 12345678 }, 'VALIDATION_ERROR'],
    ['no email', { email: undefined }, 'VALIDATION_ERROR'],
    ['a malformed email', { email: 'ada' }, 'VALIDATION_ERROR'],
    ['two addresses', { email: 'a@example.org,b@example.org' }, 'VALIDATION_ERROR'],
    ['no name', { name: undefined }, 'VALIDATION_ERROR'],
    ['a blank name', { name: '  ' }, 'VALIDATION_ERROR'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'VALIDATION_ERROR'],
  ])('sign-up refuses %s', async (_, fields, code) => {
    expectRefusal(await signUpWith({ ...GOOD, ...fields }), 400, code, Object.keys(fields)[0]);
  });

  test('sign-up refuses malformed JSON without echoing it', async () => {
    const answer = await ask<Body>(at('/sign-up/email'), { raw: `{"password":"${PASSWORD}"` });
    expectRefusal(answer, 400, 'INVALID_JSON');
  });

  test('sign-up refuses invalid UTF-8 and an empty body', async () => {
    const broken = await fetch(at('/sign-up/email'), {
      method: 'POST',
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect([broken.status, ((await broken.json()) as Body).code]).toEqual([400, 'INVALID_JSON']);
    expectRefusal(await ask<Body>(at('/sign-up/email'), { method: 'POST' }), 400, 'INVALID_JSON');
  });

  test('sign-in refuses a stranger, a malformed address and missing fields', async () => {
    expectRefusal(await signInWith(GOOD), 401, 'INVALID_EMAIL_OR_PASSWORD');
    expectRefusal(await signInWith({ ...GOOD, email: 'ada' }), 400, 'INVALID_EMAIL', 'email');
    for (const password of [undefined, '']) {
      const answer = await signInWith({ email: GOOD.email, password });
      expectRefusal(answer, 400, 'VALIDATION_ERROR', 'password');
    }
  });

  test('there is no session, and signing out succeeds', async () => {
    expect((await ask(at('/get-session'))).text).toBe('null');
    const out = await ask(at('/sign-out'), { method: 'POST' });
    expect([out.status, out.body]).toEqual([200, { success: true }]);
  });

  test('only one of two concurrent sign-ups creates the first account', async () => {
    const both = await Promise.all([
      signUpWith({ ...GOOD, email: 'one@example.org' }),
      signUpWith({ ...GOOD, email: 'two@example.org' }),
    ]);
    expect(both.map((answer) => answer.status).toSorted()).toEqual([200, 403]);
    expectRefusal(await signUpWith(GOOD), 403, 'SIGN_UP_CLOSED');
    expectRefusal(await ask<Body>(at('/sign-up/email'), { raw: '{' }), 403, 'SIGN_UP_CLOSED');
  });
});

describe('with an account', () => {
  let owner: Awaited<ReturnType<typeof signUp>>;
  beforeAll(async () => {
    stack = await startHubAlone();
    owner = await signUp(stack);
  });
  afterAll(() => stack.stop());

  test('a second account whose address differs only in case is refused', async () => {
    const json = { ...GOOD, email: ' ADA@example.ORG ' };
    const answer = await ask<Body>(at('/sign-up/email'), { json, headers: owner.headers });
    expectRefusal(answer, 422, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', 'email');
  });

  test('a wrong password and an unknown address get the same response', async () => {
    const wrong = await signInWith({ ...GOOD, password: 'another passphrase' });
    const unknown = await signInWith({ ...GOOD, email: 'eve@example.org' });
    expectRefusal(wrong, 401, 'INVALID_EMAIL_OR_PASSWORD');
    expect(unknown.text).toBe(wrong.text);
  });

  test('sign-in answers as better-auth does and sets the cookie', async () => {
    const answer = await ask<{ token: string; user: Record<string, unknown> }>(
      at('/sign-in/email'),
      { json: { ...GOOD, rememberMe: true, callbackURL: '/' } },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      redirect: false,
      token: expect.stringMatching(/^[\w-]{43}$/),
      user: {
        id: owner.userId,
        name: 'Ada',
        email: 'ada@example.org',
        emailVerified: false,
        image: null,
        role: 'owner',
        twoFactorEnabled: false,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: expect.any(String),
      },
    } as never);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toStartWith(`${cookieName()}=${answer.body.token};`);
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=604800']) {
      expect(cookie).toContain(part);
    }
    expect(cookie).not.toContain('Secure');
  });

  test('the owner sees the session, by cookie and by bearer token', async () => {
    for (const headers of [owner.headers, { Cookie: `signalbox_session=${owner.token}` }]) {
      const answer = await ask<{ session: Record<string, string>; user: { id: string } }>(
        at('/get-session'),
        { headers },
      );
      expect(answer.body.user.id).toBe(owner.userId);
      expect(Object.keys(answer.body.session).toSorted()).toEqual(
        words(`
        createdAt expiresAt id ipAddress token updatedAt userAgent userId
      `),
      );
      expect(answer.body.session.token).toBe(owner.token);
      expect(answer.body.session.ipAddress).toBe('127.0.0.1');
      expect(answer.text).not.toContain('assword');
    }
  });

  test('signing in again ends the session that came with the request', async () => {
    const one = await ask<{ token: string }>(at('/sign-in/email'), { json: GOOD });
    const cookie = `signalbox_session=${one.body.token}`;
    const two = await ask<{ token: string }>(at('/sign-in/email'), {
      json: GOOD,
      headers: { Cookie: cookie },
    });
    expect(two.body.token).not.toBe(one.body.token);
    expect((await ask(at('/get-session'), { headers: { Cookie: cookie } })).text).toBe('null');
  });

  test('two hubs on one machine do not sign each other out', async () => {
    const cookie = { Cookie: `${cookieName()}=${owner.token}; signalbox_session=of-another` };
    expect((await ask(`${stack.hub}/vhosts`, { headers: cookie })).status).toBe(200);
    const other = { Cookie: `signalbox_session_1=${owner.token}` };
    expect((await ask(`${stack.hub}/vhosts`, { headers: other })).status).toBe(401);
  });

  test('signing out ends the session on the server and clears the cookie', async () => {
    const { body } = await ask<{ token: string }>(at('/sign-in/email'), { json: GOOD });
    const headers = { Cookie: `other=1; signalbox_session=${body.token}` };
    expect((await ask(`${stack.hub}/vhosts`, { headers })).status).toBe(200);
    const out = await ask(at('/sign-out'), { json: {}, headers });
    expect([out.status, out.body]).toEqual([200, { success: true }]);
    expect(out.headers.get('set-cookie')).toStartWith(`${cookieName()}=; Max-Age=0; Path=/`);
    expect((await ask<Body>(`${stack.hub}/vhosts`, { headers })).body.code).toBe('UNAUTHENTICATED');
  });

  test('a session ends after seven days and is extended once a day', async () => {
    const { token, headers } = await signInAgain();
    const age = (days: number) =>
      inDatabase(stack.dataDir, (db) =>
        db.run(
          'UPDATE sessions SET updated_at = updated_at - ?1, expires_at = expires_at - ?1 WHERE token_hash = ?2',
          [days * 86_400_000, new Bun.CryptoHasher('sha256').update(token).digest('hex')],
        ),
      );
    const expiry = async () =>
      Date.parse(
        (await ask<{ session: { expiresAt: string } }>(at('/get-session'), { headers })).body
          .session.expiresAt,
      );
    age(2);
    expect(await expiry()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
    age(7.1);
    expect((await ask(at('/get-session'), { headers })).text).toBe('null');
    expect((await ask(`${stack.hub}/vhosts`, { headers })).status).toBe(401);
  });

  test('neither database nor log contains a password or a token', async () => {
    const files = new Bun.Glob('signalbox.db*').scanSync(stack.dataDir);
    for (const name of files) {
      const bytes = Buffer.from(await Bun.file(join(stack.dataDir, name)).arrayBuffer());
      expect(bytes.includes(owner.token)).toBe(false);
      expect(bytes.includes(PASSWORD)).toBe(false);
    }
    const log = stack.lines.join('\n');
    expect(log).not.toContain(owner.token);
    expect(log).not.toContain(PASSWORD);
    expect(log).not.toContain(stack.token);
  });

  async function signInAgain() {
    const { body } = await ask<{ token: string }>(at('/sign-in/email'), { json: GOOD });
    return { token: body.token, headers: { Authorization: `Bearer ${body.token}` } };
  }
});

describe('sign-up policies', () => {
  test('closed refuses everyone', async () => {
    stack = await startHubAlone({ SIGN_UP: 'closed' });
    expectRefusal(await signUpWith(GOOD), 403, 'SIGN_UP_CLOSED');
    await stack.stop();
  });

  test('behind a trusted proxy the cookie is bound to HTTPS, the address is the last hop, and the origin’s scheme counts', async () => {
    stack = await startHubAlone({ TRUST_PROXY: 'true' });
    const setupCode = readFileSync(join(stack.dataDir, 'setup-code'), 'utf8');
    expect((await signUpWith({ ...GOOD, setupCode })).status).toBe(200);
    const answer = await ask(at('/sign-in/email'), {
      json: GOOD,
      headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' },
    });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Host-signalbox_session=[^;]+;.*Secure/);
    const shown = await ask<{ session: { ipAddress: string } }>(at('/get-session'), {
      headers: { Cookie: cookie.split(';')[0] ?? '', 'X-Forwarded-Proto': 'https' },
    });
    expect(shown.body.session.ipAddress).toBe('198.51.100.7');
    const out = (Origin: string) =>
      ask(at('/sign-out'), {
        method: 'POST',
        headers: { Host: 'box.example', 'X-Forwarded-Proto': 'https', Origin },
      });
    expect((await out('http://box.example')).status).toBe(403);
    expect((await out('https://box.example')).status).toBe(200);
    await stack.stop();
  });
});
