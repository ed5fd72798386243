/** Signing in with a real sign-in service, from the click to the way back, and linking an account of it. */
import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createAuthClient } from 'better-auth/client';
import { createVisitor, type Visitor } from '../../../harness/cookie-jar.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { codeOf, secretIn } from '../../../harness/second-factor.ts';
import { CLIENT, startSignInService } from '../../../harness/sign-in-service.ts';
import { freePort, signUp } from '../../../harness/stack.ts';

type Body = { code?: string; field?: string; url: string; redirect: boolean };
type Account = { id: string; providerId: string; issuer: string; accountId: string };

const PASSWORD = 'a long passphrase';
const NOBODY = { sub: 'eve-1', name: 'Eve', email: 'eve@id.example' };

const port = freePort();
const origin = `http://localhost:${port}`;
const service = await forFile(startSignInService(origin));
const hub = await forFile(startHubAlone({ HUB_PORT: String(port), ...service.settings }));
const owner = await signUp(hub);
/** Signed in as Ada, the owner. */
let ada = await signedIn('ada@example.org');
afterEach(() => {
  service.state.spoil = null;
  Object.assign(service.person, { sub: 'ada-4711', name: 'Ada L.', email: 'ada@id.example' });
});

async function send<T = Body>(visitor: Visitor, path: string, json?: object, method = 'POST') {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await visitor.ask(`${origin}/api${path}`, { method, ...body });
  return { status: response.status, body: (await response.json()) as T };
}

async function signedIn(email: string): Promise<Visitor> {
  const visitor = createVisitor();
  expect((await send(visitor, '/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(
    200,
  );
  return visitor;
}

const TO = { provider: 'oidc', callbackURL: '/sites?a=1#b', errorCallbackURL: '/account' };
const isBack = (url: URL) => url.origin === origin && !url.pathname.startsWith('/api');
const isCallback = (url: URL) => url.pathname.startsWith('/api/auth/callback');
const pathOf = (url: URL) => url.href.slice(url.origin.length);

/** Clicks, and comes back. @returns the path to which it leads */
async function visit(visitor: Visitor, path = '/auth/sign-in/social', more = {}): Promise<string> {
  const { body } = await send(visitor, path, { ...TO, ...more });
  return pathOf(await visitor.follow(body.url, isBack));
}
const link = (visitor: Visitor) => visit(visitor, '/auth/link-social');
const whoIs = async (visitor: Visitor) =>
  (
    await send<{ user: { id: string; name: string; email: string; role: string } } | null>(
      visitor,
      '/auth/get-session',
      undefined,
      'GET',
    )
  ).body?.user ?? null;
const accountsOf = async (visitor: Visitor) =>
  (await send<Account[]>(visitor, '/auth/list-accounts', undefined, 'GET')).body;
const unlink = async (visitor: Visitor) => {
  const linked = (await accountsOf(visitor)).find(({ providerId }) => providerId === 'oidc');
  return send(visitor, '/auth/unlink-account', { accountId: linked?.id });
};
const invite = async (json: object) => {
  const { body } = await send(ada, '/invitations', json);
  return body.url.split('=')[1] ?? '';
};

const inDatabase = <T>(work: (db: Database) => T): T => {
  const db = new Database(join(hub.dataDir, 'signalbox.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
};
const count = (table: string) =>
  inDatabase((db) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n);
/** The last entries of the security log. */
const logged = (most: number) =>
  inDatabase((db) =>
    db
      .query<{ line: string }, [number]>(
        "SELECT kind || ' ' || actor_name || ' ' || outcome || ' ' || detail AS line FROM security_log ORDER BY id DESC LIMIT ?",
      )
      .all(most)
      .map(({ line }) => line)
      .toReversed(),
  );

describe('the way there', () => {
  test('is that of the standard, with an address that no request chooses', async () => {
    const response = await createVisitor().ask(`${hub.hub}/auth/sign-in/social`, {
      method: 'POST',
      headers: { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' },
      body: JSON.stringify(TO),
    });
    const { url, redirect } = (await response.json()) as Body;
    const { searchParams, origin: at } = new URL(url);
    expect([at, redirect]).toEqual([service.issuer, true]);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT.id,
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${origin}/api/auth/callback/oidc`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Lax');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(cookie).not.toContain(searchParams.get(name) ?? '');
    }
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    'evil.example',
    '/\t/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '',
    'http://localhost@evil.example/',
    `/${'x'.repeat(3000)}`,
    `/${'€'.repeat(2000)}`,
  ])('does not end at %p', async (path) => {
    for (const field of ['callbackURL', 'errorCallbackURL']) {
      const answer = await send(createVisitor(), '/auth/sign-in/social', { ...TO, [field]: path });
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([
        400,
        'VALIDATION_ERROR',
        field,
      ]);
    }
  });

  test('does not begin with a service that there is not', async () => {
    const answer = await send(createVisitor(), '/auth/sign-in/social', { ...TO, provider: 'x' });
    expect([answer.status, answer.body.code]).toEqual([404, 'PROVIDER_NOT_FOUND']);
  });
});

describe('a stranger at the hub', () => {
  test('is not signed in, not even with the email address of an account', async () => {
    Object.assign(service.person, { sub: 'eve-1', email: 'ada@example.org' });
    const visitor = createVisitor();
    expect(await visit(visitor)).toBe('/account?error=account_not_linked');
    expect(await whoIs(visitor)).toBeNull();
    expect([count('users'), count('linked_accounts')]).toEqual([1, 0]);
    expect(logged(1)).toEqual(['sign-in eve-1 refused oidc']);
  });

  test('cannot link', async () => {
    for (const path of ['/auth/link-social', '/auth/unlink-account']) {
      const answer = await send(createVisitor(), path, TO);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  test('learns that the service refuses', async () => {
    const { body } = await send(createVisitor(), '/auth/sign-in/social', TO);
    const state = new URL(body.url).searchParams.get('state');
    const visitor = createVisitor();
    const mine = await send(visitor, '/auth/sign-in/social', TO);
    const own = new URL(mine.body.url).searchParams.get('state');
    const back = (more: string) =>
      `${origin}/api/auth/callback/oidc?iss=${encodeURIComponent(service.issuer)}&${more}`;
    const denied = await visitor.follow(back(`state=${own}&error=access_denied`), isBack);
    expect(pathOf(denied)).toBe('/account?error=access_denied');
    expect(logged(1)).toEqual(['sign-in eve-1 refused oidc']);
    await send(visitor, '/auth/sign-in/social', TO);
    const others = await visitor.follow(back(`state=${state}&error=access_denied`), isBack);
    expect(pathOf(others)).toBe('/account?error=invalid_code');
    expect(logged(1)).toEqual(['sign-in  refused oidc']);
  });
});

describe('a linked account', () => {
  test('signs in until it is unlinked, which ends the other sessions', async () => {
    expect(await link(ada)).toBe('/sites?a=1#b');
    expect(await accountsOf(ada)).toMatchObject([
      { providerId: 'credential', accountId: owner.userId },
      { providerId: 'oidc', issuer: service.issuer, accountId: 'ada-4711' },
    ]);
    // Again is no second one.
    expect(await link(ada)).toBe('/sites?a=1#b');
    expect(count('linked_accounts')).toBe(1);

    const visitor = createVisitor();
    expect(await visit(visitor)).toBe('/sites?a=1#b');
    expect((await whoIs(visitor))?.email).toBe('ada@example.org');
    expect(logged(2)).toEqual(['account Ada ok linked', 'sign-in Ada ok oidc']);

    expect((await unlink(ada)).body as object).toEqual({ status: true });
    expect(await whoIs(visitor)).toBeNull();
    expect((await whoIs(ada))?.name).toBe('Ada');
    expect(logged(1)).toEqual(['account Ada ok unlinked']);
    expect(await visit(visitor)).toBe('/account?error=account_not_linked');
    expect((await unlink(ada)).body.code).toBe('VALIDATION_ERROR');
    const none = await send(ada, '/auth/unlink-account', { accountId: owner.userId });
    expect([none.status, none.body.code]).toEqual([400, 'ACCOUNT_NOT_FOUND']);
  });

  test('is not linked to two people, nor unlinked by another', async () => {
    await link(ada);
    await send(ada, '/users', { name: 'Bob', email: 'bob@example.org', password: PASSWORD });
    const bob = await signedIn('bob@example.org');
    expect(await link(bob)).toBe('/account?error=account_already_linked_to_different_user');
    const [, linked] = await accountsOf(ada);
    const answer = await send(bob, '/auth/unlink-account', { accountId: linked?.id });
    expect(answer.body.code).toBe('ACCOUNT_NOT_FOUND');
    expect((await accountsOf(ada)).length).toBe(2);
    await unlink(ada);
  });

  test('needs a fresh proof to be linked and unlinked', async () => {
    inDatabase((db) => db.run('UPDATE sessions SET proved_at = 0'));
    for (const [path, json] of [
      ['/auth/link-social', TO],
      ['/auth/unlink-account', { accountId: 'x' }],
    ] as const) {
      const answer = await send(ada, path, json);
      expect([answer.status, answer.body.code]).toEqual([403, 'SESSION_NOT_FRESH']);
    }
    await send(ada, '/auth/prove', { password: PASSWORD });
  });

  test('is not linked by a session that has ended, or is another', async () => {
    const { body } = await send(ada, '/auth/link-social', TO);
    const back = await ada.follow(body.url, isCallback);
    // The browser is signed out meanwhile, and somebody else signs in.
    await send(ada, '/auth/sign-out');
    expect(pathOf(await ada.follow(back.href, isBack))).toBe(
      '/account?error=unable_to_link_account',
    );
    ada = await signedIn('ada@example.org');
    const again = await send(ada, '/auth/link-social', TO);
    const callback = await ada.follow(again.body.url, isCallback);
    const other = { email: 'bob@example.org', password: PASSWORD };
    await send(ada, '/auth/sign-in/email', other);
    expect(pathOf(await ada.follow(callback.href, isBack))).toBe(
      '/account?error=unable_to_link_account',
    );
    expect(count('linked_accounts')).toBe(0);
    ada = await signedIn('ada@example.org');
  });
});

describe('the way back', () => {
  beforeAll(async () => {
    await link(ada);
  });
  afterAll(async () => {
    await unlink(ada);
  });

  test('works once, in the browser that went', async () => {
    const visitor = createVisitor();
    const { body } = await send(visitor, '/auth/sign-in/social', TO);
    const callback = (await visitor.follow(body.url, isCallback)).href;
    const other = createVisitor();
    expect(pathOf(await other.follow(callback, isBack))).toBe('/?error=state_mismatch');
    // Another browser that is on its way, too.
    await send(other, '/auth/sign-in/social', TO);
    expect(pathOf(await other.follow(callback, isBack))).toBe('/account?error=invalid_code');
    expect(await whoIs(other)).toBeNull();
    expect(pathOf(await visitor.follow(callback, isBack))).toBe('/sites?a=1#b');
    expect((await whoIs(visitor))?.name).toBe('Ada');
    expect(pathOf(await visitor.follow(callback, isBack))).toBe('/?error=state_mismatch');
  });

  test('ends after ten minutes', async () => {
    const visitor = createVisitor();
    const { body } = await send(visitor, '/auth/sign-in/social', TO);
    inDatabase((db) => db.run('UPDATE challenges SET expires_at = ?', [Date.now()]));
    expect(pathOf(await visitor.follow(body.url, isBack))).toBe('/?error=state_mismatch');
  });

  test('ends the session that was there', async () => {
    const bobs = () =>
      inDatabase(
        (db) =>
          db
            .query("SELECT 1 FROM sessions JOIN users ON users.id = user_id WHERE name = 'Bob'")
            .all().length,
      );
    const visitor = await signedIn('bob@example.org');
    const before = bobs();
    expect(await visit(visitor)).toBe('/sites?a=1#b');
    expect((await whoIs(visitor))?.name).toBe('Ada');
    expect(bobs()).toBe(before - 1);
  });

  test('leaves no secret in log or database', async () => {
    const visitor = createVisitor();
    const { body } = await send(visitor, '/auth/sign-in/social', TO);
    const kept = [...visitor.cookies('localhost').values()];
    const callback = await visitor.follow(body.url, isCallback);
    await visitor.follow(callback.href, isBack);
    const { searchParams } = callback;
    const secrets = [searchParams.get('code'), searchParams.get('state'), ...kept, CLIENT.secret];
    const files = [...new Bun.Glob('signalbox.db*').scanSync(hub.dataDir)];
    const all = Buffer.concat(
      await Promise.all(files.map((name) => Bun.file(join(hub.dataDir, name)).bytes())),
    );
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(20);
      expect(hub.lines.join('\n')).not.toContain(secret as string);
      expect(all.includes(secret as string)).toBe(false);
    }
  });
});

describe('an invitation', () => {
  test('makes an account without a password, with its role', async () => {
    Object.assign(service.person, NOBODY);
    const invitation = await invite({ role: 'editor' });
    const eve = createVisitor();
    expect(await visit(eve, undefined, { invitation })).toBe('/sites?a=1#b');
    expect(await whoIs(eve)).toMatchObject({ name: 'Eve', email: NOBODY.email, role: 'editor' });
    expect(logged(3)).toEqual([
      'invitation Eve ok used: editor',
      'account Eve ok linked',
      'sign-in Eve ok oidc',
    ]);
    expect((await accountsOf(eve)).map(({ providerId }) => providerId)).toEqual(['oidc']);
    for (const password of [PASSWORD, ' ']) {
      const json = { email: NOBODY.email, password };
      const answer = await send(createVisitor(), '/auth/sign-in/email', json);
      expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD']);
    }
    const last = await unlink(eve);
    expect([last.status, last.body.code]).toEqual([400, 'FAILED_TO_UNLINK_LAST_ACCOUNT']);
    const again = createVisitor();
    expect(await visit(again)).toBe('/sites?a=1#b');

    // It is used up.
    Object.assign(service.person, { sub: 'fay-1', email: 'fay@id.example' });
    const used = await send(createVisitor(), '/auth/sign-in/social', { ...TO, invitation });
    expect([used.status, used.body.code]).toEqual([401, 'INVITATION_INVALID']);
  });

  test.each([
    ['of another address', { email: 'gus@example.org' }, {}, 'invitation_invalid'],
    ['of somebody who has an account', {}, { email: 'bob@example.org' }, 'user_already_exists'],
    ['of somebody without an address', {}, { email: undefined }, 'email_not_found'],
    ['of somebody with a bad address', {}, { email: 'gus' }, 'email_not_found'],
  ])('is refused to an account %s', async (_, invited, person, problem) => {
    Object.assign(service.person, { sub: 'gus-1', email: 'gus@id.example', ...person });
    const invitation = await invite({ role: 'viewer', ...invited });
    const before = count('users');
    expect(await visit(createVisitor(), undefined, { invitation })).toBe(
      `/account?error=${problem}`,
    );
    expect(count('users')).toBe(before as number);
  });

  test('makes one account of two that arrive together', async () => {
    const invitation = await invite({ role: 'viewer', email: 'hal@id.example' });
    const before = count('users') ?? 0;
    const visitors = [createVisitor(), createVisitor()];
    const callbacks: string[] = [];
    for (const [at, visitor] of visitors.entries()) {
      Object.assign(service.person, { sub: `hal-${at}`, email: 'hal@id.example' });
      const { body } = await send(visitor, '/auth/sign-in/social', { ...TO, invitation });
      callbacks.push((await visitor.follow(body.url, isCallback)).href);
    }
    const ends = await Promise.all(
      visitors.map((visitor, at) => visitor.follow(callbacks[at] ?? '', isBack)),
    );
    expect(ends.map(pathOf).toSorted()).toEqual([
      '/account?error=invitation_invalid',
      '/sites?a=1#b',
    ]);
    expect(count('users')).toBe(before + 1);
  });
});

test('an account with a second factor is asked for a code as well', async () => {
  await link(ada);
  const made = await send<{ totpURI: string }>(ada, '/auth/two-factor/enable', {
    password: PASSWORD,
  });
  const secret = secretIn(made.body.totpURI);
  await send(ada, '/auth/two-factor/verify-totp', { code: codeOf(secret) });
  const visitor = await signedIn('bob@example.org');
  expect(await visit(visitor)).toBe('/sites?a=1&twoFactorRedirect=true#b');
  expect(await whoIs(visitor)).toBeNull();
  expect(logged(1)).toEqual(['sign-in Ada half oidc']);
  const code = codeOf(secret, 1);
  expect((await send(visitor, '/auth/two-factor/verify-totp', { code })).status).toBe(200);
  expect((await whoIs(visitor))?.name).toBe('Ada');

  // Half a sign-in ends with what it began with.
  const half = createVisitor();
  await visit(half);
  await unlink(ada);
  const late = await send(half, '/auth/two-factor/verify-totp', { code: codeOf(secret) });
  expect([late.status, late.body.code]).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE']);
  await send(ada, '/auth/two-factor/disable', { password: PASSWORD });
});

test('better-auth’s published client signs in, links, lists and unlinks', async () => {
  const visitor = await signedIn('bob@example.org');
  const client = createAuthClient({
    baseURL: `${origin}/api/auth`,
    fetchOptions: { customFetchImpl: (url, options) => visitor.ask(String(url), options) },
  });
  const to = { provider: 'oidc' as never, callbackURL: '/account', disableRedirect: true };
  const linking = await client.linkSocial(to);
  expect(linking.data?.redirect).toBe(false);
  expect(pathOf(await visitor.follow(linking.data?.url ?? '', isBack))).toBe('/account');
  const { data } = await client.listAccounts();
  expect(data?.map(({ providerId }) => providerId)).toEqual(['credential', 'oidc']);
  await client.signOut();
  const signing = await client.signIn.social(to);
  await visitor.follow(signing.data?.url ?? '', isBack);
  expect((await client.getSession()).data?.user.name).toBe('Bob');
  const gone = await client.unlinkAccount({ accountId: data?.[1]?.id ?? '' });
  expect(gone.data).toEqual({ status: true } as never);
  const wrong = await client.signIn.social({ ...to, provider: 'github' });
  expect(wrong.error?.code).toBe('PROVIDER_NOT_FOUND');
});

test('a hub starts without its service, which it says when it is needed', async () => {
  const alone = await startHubAlone({
    OIDC_ISSUER: `http://127.0.0.1:${freePort()}`,
    OIDC_CLIENT_ID: 'box',
  });
  const begin = async () => {
    const url = `${alone.hub}/auth/sign-in/social`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(TO) });
    return [response.status, ((await response.json()) as Body).code];
  };
  expect(await begin()).toEqual([502, 'OIDC_UNREACHABLE']);
  // Nor can a stranger have it asked without end.
  for (let one = 1; one < 100; one++) await begin();
  expect(await begin()).toEqual([429, 'RATE_LIMITED']);
  await alone.stop();
});
