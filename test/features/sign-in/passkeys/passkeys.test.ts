/** Passkeys over HTTP, with a stand-in for the authenticator: web/passkeys.test.ts has a real one. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { join } from 'node:path';
import { partyOf } from '../../../../src/features/sign-in/passkeys/webauthn.ts';
import { createAuthenticator, type Said } from '../../../harness/authenticator.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { type Browser, createBrowser } from '../../../harness/second-factor.ts';
import { signUp } from '../../../harness/stack.ts';

const PASSWORD = 'a long passphrase';
type Passkey = { id: string; name: string; code?: string; counter: number; credentialID: string };
type Options = { challenge: string; rp: { id: string }; rpId: string; user: { id: string } };

const stack = await forFile(startHubAlone());
const { headers: owner } = await signUp(stack);
const origin = `http://localhost:${new URL(stack.hub).port}`;
afterEach(() => {
  setSystemTime();
});
const browse = () => createBrowser(() => stack.hub);
const said = (more: Partial<Said> = {}): Said => ({ origin, rpId: 'localhost', ...more });
const codeIn = (answer: { status: number; body: { code?: string } }) => [
  answer.status,
  answer.body.code,
];

let accounts = 0;
async function newAccount() {
  accounts += 1;
  const email = `user${accounts}@example.org`;
  const browser = browse();
  await browser.call('/users', { name: 'User', email, password: PASSWORD }, owner);
  const signedIn = await browser.call('/auth/sign-in/email', { email, password: PASSWORD });
  return { email, browser, id: signedIn.body.user.id };
}

const optionsFor = async (browser: Browser, what: 'register' | 'authenticate') =>
  (await browser.call<Options>(`/auth/passkey/generate-${what}-options`)).body;

/** Adds a passkey, as a page would. */
async function add(browser: Browser, more: Partial<Said> = {}, device = createAuthenticator()) {
  const { challenge } = await optionsFor(browser, 'register');
  const response = device.register(challenge, said(more));
  const json = { response, name: 'Phone' };
  return { device, answer: await browser.call<Passkey>('/auth/passkey/verify-registration', json) };
}

/** Signs in with a passkey, as a page would. */
async function signIn(
  device: ReturnType<typeof createAuthenticator>,
  more: Partial<Said> = {},
  browser = browse(),
) {
  const { challenge } = await optionsFor(browser, 'authenticate');
  const response = device.authenticate(challenge, said(more));
  const answer = await browser.call('/auth/passkey/verify-authentication', { response });
  return { browser, response, answer };
}

const REFUSED = [401, 'AUTHENTICATION_FAILED'];
const NOT_ADDED = [400, 'FAILED_TO_VERIFY_REGISTRATION'];
const NO_CHALLENGE = [400, 'CHALLENGE_NOT_FOUND'];

test('the party is that of the settings', () => {
  const here = ['http://localhost:3000'] as const;
  expect(partyOf(here)).toEqual({ id: 'localhost', origins: here });
  const origins = ['https://box.example:8443', 'https://other.example'] as const;
  expect(partyOf(origins)).toEqual({ id: 'box.example', origins });
});

describe('adding one', () => {
  test.each<[string, Partial<Said>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['the same host without its port', { origin: 'http://localhost' }],
    ['another RP', { rpId: 'evil.example' }],
    ['no user verification', { isVerified: false }],
  ])('is refused with %s', async (_, wrong) => {
    const { browser } = await newAccount();
    expect(codeIn((await add(browser, wrong)).answer)).toEqual(NOT_ADDED);
    const listed = await browser.call<unknown>('/auth/passkey/list-user-passkeys');
    expect(listed.body).toEqual([]);
  });

  test('needs a challenge of this session, once, within five minutes', async () => {
    const { browser } = await newAccount();
    const device = createAuthenticator();
    const verify = (response: unknown, by = browser) =>
      by.call<Passkey>('/auth/passkey/verify-registration', { response });
    expect(codeIn(await verify(device.register('AAAA', said())))).toEqual(NO_CHALLENGE);
    await optionsFor(browser, 'register');
    expect(codeIn(await verify(device.register('AAAA', said())))).toEqual(NOT_ADDED);
    const { challenge } = await optionsFor(browser, 'register');
    const cookie = browser.cookie('passkey_new') ?? '';
    const other = (await newAccount()).browser;
    other.jar.set('signalbox_passkey_new', cookie);
    expect(codeIn(await verify(device.register(challenge, said()), other))).toEqual(NOT_ADDED);
    expect(codeIn(await verify(device.register(challenge, said())))).toEqual(NO_CHALLENGE);
    const late = await optionsFor(browser, 'register');
    setSystemTime(new Date(Date.now() + 5 * 60_000));
    expect(codeIn(await verify(device.register(late.challenge, said())))).toEqual(NO_CHALLENGE);
  });

  test('needs a fresh proof, as does removing one', async () => {
    const { browser, email } = await newAccount();
    const { answer } = await add(browser);
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    db.run(
      'UPDATE sessions SET proved_at = 0 WHERE user_id = (SELECT id FROM users WHERE email = ?)',
      [email],
    );
    db.close();
    const stale = [403, 'SESSION_NOT_FRESH'];
    const begun = await browser.call('/auth/passkey/generate-register-options');
    expect(codeIn(begun)).toEqual(stale);
    const json = { id: answer.body.id };
    expect(codeIn(await browser.call('/auth/passkey/delete-passkey', json))).toEqual(stale);
  });

  test('twice is refused, for another account too', async () => {
    const { device } = await add((await newAccount()).browser);
    const other = (await newAccount()).browser;
    const { answer } = await add(other, {}, device);
    expect(codeIn(answer)).toEqual([400, 'PREVIOUSLY_REGISTERED']);
  });

  test('shows it as better-auth does', async () => {
    const { browser, id } = await newAccount();
    const { answer, device } = await add(browser, { counter: 7 });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        userId: id,
        name: 'Phone',
        credentialID: device.id,
        counter: 7,
        transports: 'internal',
      },
    });
    const listed = await browser.call<unknown[]>('/auth/passkey/list-user-passkeys');
    expect(listed.body).toEqual([answer.body]);
    const renamed = { id: answer.body.id, name: 'Key' };
    const update = await browser.call<{ passkey: Passkey }>(
      '/auth/passkey/update-passkey',
      renamed,
    );
    expect(update.body.passkey.name).toBe('Key');
  });
});

describe('signing in', () => {
  test.each<[string, Partial<Said>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another RP', { rpId: 'evil.example' }],
    ['no user verification', { isVerified: false }],
    ['another account’s handle', { userHandle: 'someone' }],
  ])('is refused with %s', async (_, wrong) => {
    const { device } = await add((await newAccount()).browser);
    const { answer, browser } = await signIn(device, wrong);
    expect(codeIn(answer)).toEqual(REFUSED);
    expect(browser.cookie('session')).toBeUndefined();
  });

  test('is refused with an unknown passkey', async () => {
    const { answer } = await signIn(createAuthenticator());
    expect(codeIn(answer)).toEqual([401, 'PASSKEY_NOT_FOUND']);
  });

  test('is refused with a challenge that was used, of another browser, late, or for something else', async () => {
    const { browser, id } = await newAccount();
    const { device } = await add(browser);
    const verify = (by: Browser, sent: unknown) =>
      by.call('/auth/passkey/verify-authentication', { response: sent });
    const again = browse();
    const kept = await optionsFor(again, 'authenticate');
    const cookie = again.cookie('passkey') ?? '';
    const response = device.authenticate(kept.challenge, said({ userHandle: id }));
    expect((await verify(again, response)).status).toBe(200);
    again.jar.set('signalbox_passkey', cookie);
    expect(codeIn(await verify(again, response))).toEqual(NO_CHALLENGE);
    const [first, second] = [browse(), browse()];
    const { challenge } = await optionsFor(first, 'authenticate');
    await optionsFor(second, 'authenticate');
    const stolen = device.authenticate(challenge, said());
    expect(codeIn(await verify(browse(), stolen))).toEqual(NO_CHALLENGE);
    expect(codeIn(await verify(second, stolen))).toEqual(REFUSED);
    const other = await optionsFor(first, 'authenticate');
    const create = device.authenticate(other.challenge, said(), 'webauthn.create');
    expect(codeIn(await verify(first, create))).toEqual(REFUSED);
    const late = await optionsFor(first, 'authenticate');
    setSystemTime(new Date(Date.now() + 5 * 60_000));
    const tooLate = device.authenticate(late.challenge, said());
    expect(codeIn(await verify(first, tooLate))).toEqual(NO_CHALLENGE);
  });

  test('is refused if its counter does not rise', async () => {
    const { device } = await add((await newAccount()).browser, { counter: 5 });
    expect((await signIn(device, { counter: 6 })).answer.status).toBe(200);
    for (const counter of [6, 5, 0]) {
      expect(codeIn((await signIn(device, { counter })).answer)).toEqual(REFUSED);
    }
    expect((await signIn(device, { counter: 7 })).answer.status).toBe(200);
  });

  test('of two at once with the same counter, one becomes a session', async () => {
    const { device } = await add((await newAccount()).browser, { counter: 1 });
    for (const counter of [2, 3, 4]) {
      const begun = await Promise.all(
        [browse(), browse()].map(async (browser) => {
          const { challenge } = await optionsFor(browser, 'authenticate');
          return { browser, response: device.authenticate(challenge, said({ counter })) };
        }),
      );
      const answers = await Promise.all(
        begun.map(({ browser, response }) =>
          browser.call('/auth/passkey/verify-authentication', { response }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    }
  });

  test('is a fresh session, without a code', async () => {
    const { browser, email } = await newAccount();
    const { device } = await add(browser);
    const { answer, browser: other } = await signIn(device);
    expect(answer).toMatchObject({ status: 200, body: { user: { email } } });
    expect((await other.call('/auth/passkey/generate-register-options')).status).toBe(200);
    expect((await other.call('/sessions')).status).toBe(200);
  });

  test('ends with the passkey, and so do the other sessions', async () => {
    const { browser } = await newAccount();
    const { device, answer } = await add(browser);
    const { browser: other } = await signIn(device);
    const stranger = (await newAccount()).browser;
    const json = { id: answer.body.id, name: 'x' };
    for (const route of ['delete-passkey', 'update-passkey']) {
      expect((await stranger.call(`/auth/passkey/${route}`, json)).status).toBe(404);
    }
    expect((await browser.call('/auth/passkey/delete-passkey', json)).status).toBe(200);
    expect((await other.call('/sessions')).status).toBe(401);
    expect(codeIn((await signIn(device)).answer)).toEqual([401, 'PASSKEY_NOT_FOUND']);
  });
});

test('a proof by passkey takes one of one’s own', async () => {
  const [ada, bob] = [await newAccount(), await newAccount()];
  const { device: adas } = await add(ada.browser);
  const { device: bobs } = await add(bob.browser);
  const prove = async (device: typeof adas) => {
    const { challenge } = await optionsFor(bob.browser, 'authenticate');
    const passkey = device.authenticate(challenge, said());
    return bob.browser.call<{ code?: string; freshUntil?: string }>('/auth/prove', { passkey });
  };
  expect(codeIn(await prove(adas))).toEqual(REFUSED);
  const { challenge } = await optionsFor(browse(), 'authenticate');
  const passkey = bobs.authenticate(challenge, said());
  expect(codeIn(await bob.browser.call('/auth/prove', { passkey }))).toEqual(NO_CHALLENGE);
  expect((await prove(bobs)).body.freshUntil).toBeString();
});
