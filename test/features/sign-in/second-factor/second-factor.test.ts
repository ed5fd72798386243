// proof: hub
/** The second factor over HTTP, with codes of another implementation. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { codeOf, createBrowser, secretIn, wrongOf } from '../../../harness/second-factor.ts';
import { signUp } from '../../../harness/stack.ts';

const PASSWORD = 'a long passphrase';
const STEP = 30_000;
type Enabled = { method: string; totpURI: string; backupCodes: string[]; code?: string };

const stack = await forFile(startHubAlone());
const { headers: owner } = await signUp(stack);
afterEach(async () => {
  setSystemTime();
  // Forgets whose attempts failed.
  await stack.restart();
});
const browse = () => createBrowser(() => stack.hub);
/** Moves the wall clock, which then stands still. */
const pass = (milliseconds: number) => setSystemTime(new Date(Date.now() + milliseconds));

async function signIn(email: string, browser = browse()) {
  const answer = await browser.call<{ twoFactorRedirect?: boolean; token?: string; code?: string }>(
    '/auth/sign-in/email',
    { email, password: PASSWORD },
  );
  return { browser, answer };
}

let accounts = 0;
async function newAccount() {
  accounts += 1;
  const email = `user${accounts}@example.org`;
  const browser = browse();
  const json = { name: 'User', email, password: PASSWORD };
  expect((await browser.call('/users', json, owner)).status).toBe(201);
  await signIn(email, browser);
  return { email, browser };
}

const enable = (browser: ReturnType<typeof browse>) =>
  browser.call<Enabled>('/auth/two-factor/enable', { password: PASSWORD });
const verify = (browser: ReturnType<typeof browse>, code: string) =>
  browser.call('/auth/two-factor/verify-totp', { code });
const recover = (browser: ReturnType<typeof browse>, code: string) =>
  browser.call('/auth/two-factor/verify-backup-code', { code });

/** An account whose next codes are unused. */
async function newFactor() {
  const { email, browser } = await newAccount();
  const { body } = await enable(browser);
  const secret = secretIn(body.totpURI);
  setSystemTime(new Date(Math.floor(Date.now() / STEP) * STEP));
  expect((await verify(browser, codeOf(secret))).status).toBe(200);
  pass(2 * STEP);
  return { email, browser, secret, codes: body.backupCodes };
}

const codeIn = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const INVALID = [401, 'INVALID_CODE'];
const NO_COOKIE = [401, 'INVALID_TWO_FACTOR_COOKIE'];

describe('turning it on', () => {
  test('needs the password, a session and a fresh proof', async () => {
    const { email, browser } = await newAccount();
    const wrong = await browser.call('/auth/two-factor/enable', { password: 'not this one' });
    expect(codeIn(wrong)).toEqual([400, 'INVALID_PASSWORD']);
    expect(codeIn(await enable(browse()))).toEqual([401, 'UNAUTHENTICATED']);
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    db.run(
      'UPDATE sessions SET proved_at = 0 WHERE user_id = (SELECT id FROM users WHERE email = ?)',
      [email],
    );
    db.close();
    for (const route of ['enable', 'disable', 'generate-backup-codes', 'get-totp-uri']) {
      const answer = await browser.call(`/auth/two-factor/${route}`, { password: PASSWORD });
      expect([route, ...codeIn(answer)]).toEqual([route, 403, 'SESSION_NOT_FRESH']);
    }
  });

  test('counts for nothing before a first right code', async () => {
    const { email, browser } = await newAccount();
    expect(codeIn(await verify(browser, '123456'))).toEqual([400, 'TOTP_NOT_ENABLED']);
    expect(codeIn(await recover(browser, 'x'))).toEqual([400, 'BACKUP_CODES_NOT_ENABLED']);
    const { body } = await enable(browser);
    expect(codeIn(await verify(browser, wrongOf(secretIn(body.totpURI))))).toEqual(INVALID);
    const early = await recover(browser, body.backupCodes[0] ?? '');
    expect(codeIn(early)).toEqual([400, 'BACKUP_CODES_NOT_ENABLED']);
    const renewed = await browser.call('/auth/two-factor/generate-backup-codes', {
      password: PASSWORD,
    });
    expect(codeIn(renewed)).toEqual([400, 'TWO_FACTOR_NOT_ENABLED']);
    const { answer } = await signIn(email);
    expect(answer.body).toMatchObject({ redirect: false, user: { twoFactorEnabled: false } });
  });

  test('answers as better-auth, and ends the other sessions', async () => {
    const { email, browser } = await newAccount();
    const other = (await signIn(email)).browser;
    const { status, body } = await enable(browser);
    expect([status, body.method, body.backupCodes.length]).toEqual([200, 'totp', 10]);
    expect(new Set(body.backupCodes).size).toBe(10);
    const secret = secretIn(body.totpURI);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(decodeURIComponent(body.totpURI)).toStartWith(`otpauth://totp/signalbox:${email}?`);
    expect(new TOTP({ secret }).generate()).toBe(codeOf(secret));
    const first = await verify(browser, codeOf(secret));
    expect(first).toMatchObject({ status: 200, body: { user: { twoFactorEnabled: true } } });
    expect(first.body.token).toBe(browser.cookie('session') ?? '');
    expect((await other.call<unknown>('/auth/get-session')).body).toBeNull();
    expect((await browser.call('/auth/get-session')).body.user.twoFactorEnabled).toBe(true);
    const again = await browser.call<Enabled>('/auth/two-factor/get-totp-uri', {
      password: PASSWORD,
    });
    expect(secretIn(again.body.totpURI)).toBe(secret);
  });

  test('anew leaves the old one in force until the new one was verified', async () => {
    const { email, browser, secret } = await newFactor();
    const next = secretIn((await enable(browser)).body.totpURI);
    const half = (await signIn(email)).browser;
    expect(codeIn(await verify(half, codeOf(next)))).toEqual(INVALID);
    expect((await verify(half, codeOf(secret))).status).toBe(200);
    expect((await verify(browser, codeOf(next))).status).toBe(200);
    const later = (await signIn(email)).browser;
    pass(2 * STEP);
    expect(codeIn(await verify(later, codeOf(secret)))).toEqual(INVALID);
    expect((await verify(later, codeOf(next))).status).toBe(200);
  });
});

describe('half a sign-in', () => {
  test('is no session, and ends the one that the browser had', async () => {
    const { email, browser } = await newFactor();
    const before = browser.cookie('session') ?? '';
    const { answer } = await signIn(email, browser);
    expect(answer.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp'] } as never);
    expect(browser.cookie('session')).toBeUndefined();
    expect(answer.headers.get('set-cookie')).toMatch(
      /two_factor\w*=[\w-]{43};.*Max-Age=600;.*HttpOnly/i,
    );
    for (const token of [before, browser.cookie('two_factor') ?? '']) {
      const headers = { Authorization: `Bearer ${token}` };
      expect((await browse().call('/sessions', undefined, headers)).status).toBe(401);
    }
  });

  test('needs its own cookie', async () => {
    const { email, secret, codes } = await newFactor();
    const { browser } = await signIn(email);
    expect(codeIn(await verify(browse(), codeOf(secret)))).toEqual(NO_COOKIE);
    expect(codeIn(await recover(browse(), codes[0] ?? ''))).toEqual(NO_COOKIE);
    const forged = browse();
    forged.jar.set('signalbox_two_factor', 'A'.repeat(43));
    expect(codeIn(await verify(forged, codeOf(secret)))).toEqual(NO_COOKIE);
    const stranger = await newFactor();
    expect(codeIn(await verify(browser, codeOf(stranger.secret)))).toEqual(INVALID);
    expect(codeIn(await recover(browser, stranger.codes[0] ?? ''))).toEqual([
      401,
      'INVALID_BACKUP_CODE',
    ]);
  });

  test('ends after ten minutes, with a new password, and without the factor', async () => {
    const { email, browser, secret } = await newFactor();
    const late = (await signIn(email)).browser;
    pass(10 * 60_000);
    expect(codeIn(await verify(late, codeOf(secret)))).toEqual(NO_COOKIE);
    const half = (await signIn(email)).browser;
    pass(1);
    const change = { currentPassword: PASSWORD, newPassword: PASSWORD };
    expect((await browser.call('/auth/change-password', change)).status).toBe(200);
    expect(codeIn(await verify(half, codeOf(secret)))).toEqual(NO_COOKIE);
    const other = (await signIn(email)).browser;
    await browser.call('/auth/two-factor/disable', { password: PASSWORD });
    expect(codeIn(await verify(other, codeOf(secret)))).toEqual(NO_COOKIE);
  });

  test('becomes a session by a code of this or a neighbouring step, each once', async () => {
    const { email, secret } = await newFactor();
    for (const far of [-2, 2]) {
      const { browser } = await signIn(email);
      expect(codeIn(await verify(browser, codeOf(secret, far)))).toEqual(INVALID);
    }
    for (const near of [-1, 0, 1]) {
      const { browser } = await signIn(email);
      const answer = await verify(browser, codeOf(secret, near));
      expect(answer).toMatchObject({ status: 200, body: { user: { email } } });
      expect(answer.body.token).toBe(browser.cookie('session') ?? '');
      expect(browser.cookie('two_factor')).toBeUndefined();
      expect((await browser.call('/sessions')).status).toBe(200);
    }
    for (const used of [-1, 0, 1]) {
      const { browser } = await signIn(email);
      expect(codeIn(await verify(browser, codeOf(secret, used)))).toEqual(INVALID);
    }
  });

  test('uses its challenge up', async () => {
    const { email, secret } = await newFactor();
    const { browser } = await signIn(email);
    const challenge = browser.cookie('two_factor') ?? '';
    expect((await verify(browser, codeOf(secret))).status).toBe(200);
    const again = browse();
    again.jar.set('signalbox_two_factor', challenge);
    expect(codeIn(await verify(again, codeOf(secret, 1)))).toEqual(NO_COOKIE);
  });

  test('of two at once with the same code, one becomes a session', async () => {
    const { email, secret, codes } = await newFactor();
    const halves = [(await signIn(email)).browser, (await signIn(email)).browser];
    const answers = await Promise.all(halves.map((half) => verify(half, codeOf(secret))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    const others = [(await signIn(email)).browser, (await signIn(email)).browser];
    const recovered = await Promise.all(others.map((half) => recover(half, codes[0] ?? '')));
    expect(recovered.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('a code that was used while the clock was ahead does not block those of today', async () => {
    const { email, secret } = await newFactor();
    pass(1000 * STEP);
    expect((await verify((await signIn(email)).browser, codeOf(secret))).status).toBe(200);
    pass(-1000 * STEP);
    expect((await verify((await signIn(email)).browser, codeOf(secret))).status).toBe(200);
  });

  test('a device is never trusted', async () => {
    const { email, secret } = await newFactor();
    const { browser } = await signIn(email);
    const json = { code: codeOf(secret), trustDevice: true };
    expect((await browser.call('/auth/two-factor/verify-totp', json)).status).toBe(200);
    expect([...browser.jar.keys()].length).toBe(1);
    expect((await signIn(email, browser)).answer.body.twoFactorRedirect).toBe(true);
  });
});

describe('wrong codes', () => {
  test('five end a challenge; ten in a row lock the account for 15 minutes', async () => {
    const { email, secret, codes } = await newFactor();
    const wrong = wrongOf(secret);
    const first = (await signIn(email)).browser;
    for (let one = 0; one < 5; one++) expect(codeIn(await verify(first, wrong))).toEqual(INVALID);
    const over = [400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'];
    expect(codeIn(await verify(first, codeOf(secret)))).toEqual(over);
    expect(codeIn(await verify(first, codeOf(secret)))).toEqual(NO_COOKIE);
    const second = (await signIn(email)).browser;
    for (let one = 0; one < 5; one++) {
      expect(codeIn(await recover(second, wrong))).toEqual([401, 'INVALID_BACKUP_CODE']);
    }
    const third = (await signIn(email)).browser;
    const answer = await verify(third, codeOf(secret));
    expect(codeIn(answer)).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED']);
    expect(answer.headers.get('retry-after')).toBe('900');
    expect((await recover(third, codes[0] ?? '')).status).toBe(429);
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    const entries = "SELECT * FROM security_log WHERE outcome = 'locked' AND target = ?";
    expect(db.query(entries).all(email)).toHaveLength(1);
    db.close();
    await stack.restart();
    // The name of the cookie contained the hub's port.
    third.jar.set('signalbox_two_factor', third.cookie('two_factor') ?? '');
    expect((await verify(third, codeOf(secret))).status).toBe(429);
    pass(15 * 60_000);
    const later = (await signIn(email)).browser;
    expect(codeIn(await verify(later, wrong))).toEqual(INVALID);
    expect((await verify(later, codeOf(secret))).status).toBe(200);
  });

  test('a right one begins the count anew', async () => {
    const { email, secret } = await newFactor();
    for (let round = 0; round < 3; round++) {
      const { browser } = await signIn(email);
      for (let one = 0; one < 4; one++) {
        expect(codeIn(await verify(browser, wrongOf(secret)))).toEqual(INVALID);
      }
      expect((await verify(browser, codeOf(secret))).status).toBe(200);
      pass(STEP);
    }
  });

  test('a stranger without the password cannot lock an account', async () => {
    const { email, secret } = await newFactor();
    const stranger = browse();
    for (let one = 0; one < 12; one++) {
      expect(codeIn(await verify(stranger, wrongOf(secret)))).toEqual(NO_COOKIE);
    }
    expect((await verify((await signIn(email)).browser, codeOf(secret))).status).toBe(200);
  });

  test('count for the address as wrong passwords do', async () => {
    const { email, secret } = await newFactor();
    const { browser } = await signIn(email);
    expect(codeIn(await verify(browser, wrongOf(secret)))).toEqual(INVALID);
    for (let one = 0; one < 29; one++) {
      const json = { email: `nobody${one}@example.org`, password: 'wrong' };
      expect((await browse().call('/auth/sign-in/email', json)).status).toBe(401);
    }
    expect(codeIn(await verify(browser, codeOf(secret)))).toEqual([429, 'RATE_LIMITED']);
  });

  test('with a session count, too', async () => {
    const { browser, secret } = await newFactor();
    for (let one = 0; one < 10; one++) {
      expect(codeIn(await verify(browser, wrongOf(secret)))).toEqual(INVALID);
    }
    const proof = await browser.call('/auth/prove', { code: codeOf(secret) });
    expect(codeIn(proof)).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED']);
  });
});

describe('recovery codes', () => {
  test('work once each, however they are written', async () => {
    const { email, codes } = await newFactor();
    const written = [codes[0] ?? '', (codes[1] ?? '').toUpperCase().replaceAll('-', ' ')];
    for (const code of written) {
      expect((await recover((await signIn(email)).browser, code)).status).toBe(200);
      const again = await recover((await signIn(email)).browser, code);
      expect(codeIn(again)).toEqual([401, 'INVALID_BACKUP_CODE']);
    }
  });

  test('made anew replace the old ones', async () => {
    const { email, browser, codes } = await newFactor();
    const made = await browser.call<Enabled>('/auth/two-factor/generate-backup-codes', {
      password: PASSWORD,
    });
    expect(made.body.backupCodes.length).toBe(10);
    const half = (await signIn(email)).browser;
    expect((await recover(half, codes[0] ?? '')).status).toBe(401);
    expect((await recover(half, made.body.backupCodes[0] ?? '')).status).toBe(200);
  });
});

describe('a proof', () => {
  const prove = (browser: ReturnType<typeof browse>, json: object) =>
    browser.call<{ freshUntil?: string; code?: string }>('/auth/prove', json);

  test('is a password or a code', async () => {
    const { browser, secret, codes } = await newFactor();
    const invalid = [400, 'VALIDATION_ERROR'];
    expect(codeIn(await prove(browser, {}))).toEqual(invalid);
    const both = { password: PASSWORD, code: codeOf(secret) };
    expect(codeIn(await prove(browser, both))).toEqual(invalid);
    expect(codeIn(await prove(browser, { code: wrongOf(secret) }))).toEqual(INVALID);
    for (const code of [codeOf(secret), codes[0]]) {
      const { body } = await prove(browser, { code });
      expect(Date.parse(body.freshUntil ?? '')).toBe(Date.now() + 3_600_000);
      expect((await prove(browser, { code })).status).toBe(401);
    }
  });

  test('by a code needs a second factor', async () => {
    const { browser } = await newAccount();
    expect(codeIn(await prove(browser, { code: '123456' }))).toEqual([400, 'TOTP_NOT_ENABLED']);
  });
});

test('turning it off needs the password, and ends the other sessions', async () => {
  const { email, browser, secret } = await newFactor();
  const other = (await signIn(email)).browser;
  expect((await verify(other, codeOf(secret))).status).toBe(200);
  const wrong = await browser.call('/auth/two-factor/disable', { password: 'not this one' });
  expect(codeIn(wrong)).toEqual([400, 'INVALID_PASSWORD']);
  const off = await browser.call<unknown>('/auth/two-factor/disable', { password: PASSWORD });
  expect([off.status, off.body]).toEqual([200, { status: true }]);
  expect((await other.call<unknown>('/auth/get-session')).body).toBeNull();
  expect((await browser.call('/auth/get-session')).body.user.twoFactorEnabled).toBe(false);
  expect((await signIn(email)).answer.body.token).toBeString();
});

describe('what is stored', () => {
  test('neither database nor log contains a secret, a code or a challenge', async () => {
    const { email, secret, codes } = await newFactor();
    const { browser } = await signIn(email);
    const code = codeOf(secret);
    const challenge = browser.cookie('two_factor') ?? '';
    await verify(browser, code);
    const files = ['signalbox.db', 'signalbox.db-wal'].map((name) =>
      readFileSync(join(stack.dataDir, name), 'latin1'),
    );
    const bare = codes.map((one) => one.replaceAll('-', ''));
    for (const text of [...files, stack.lines.join('\n')]) {
      for (const one of [secret, challenge, ...codes, ...bare]) expect(text).not.toContain(one);
    }
    expect(stack.lines.join('\n')).not.toContain(code);
  });

  test('without its key nobody with a second factor signs in by password', async () => {
    const { email, browser, secret } = await newFactor();
    const half = (await signIn(email)).browser;
    const key = join(stack.dataDir, 'secret-key');
    renameSync(key, `${key}.away`);
    try {
      const { answer } = await signIn(email);
      expect(codeIn(answer)).toEqual([503, 'SECRET_KEY_UNUSABLE']);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect((await verify(half, codeOf(secret))).status).toBe(503);
      expect((await enable(browser)).status).toBe(503);
      const wrong = { email, password: 'not this one' };
      expect((await browse().call('/auth/sign-in/email', wrong)).status).toBe(401);
      expect((await browser.call('/sessions')).status).toBe(200);
    } finally {
      renameSync(`${key}.away`, key);
    }
    expect((await verify(half, codeOf(secret))).status).toBe(200);
  });

  test('the security log says what happened', async () => {
    const { email, browser, secret, codes } = await newFactor();
    const half = (await signIn(email)).browser;
    await verify(half, wrongOf(secret));
    await verify(half, codeOf(secret));
    await recover((await signIn(email)).browser, codes[0] ?? '');
    await browser.call('/auth/two-factor/generate-backup-codes', { password: PASSWORD });
    await browser.call('/auth/two-factor/disable', { password: PASSWORD });
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    const rows = db
      .query(
        `SELECT kind, outcome, detail FROM security_log WHERE kind IN ('sign-in', 'factor')
         AND actor = (SELECT id FROM users WHERE email = ?) ORDER BY id`,
      )
      .values(email);
    db.close();
    const isOfFactor = ([, outcome, detail]: unknown[]) =>
      detail !== 'password' || outcome === 'half';
    expect(rows.filter(isOfFactor)).toEqual([
      ['factor', 'ok', 'totp enabled'],
      ['sign-in', 'half', 'password'],
      ['sign-in', 'refused', 'totp'],
      ['sign-in', 'ok', 'totp'],
      ['sign-in', 'half', 'password'],
      ['sign-in', 'ok', 'recovery'],
      ['factor', 'ok', 'recovery codes'],
      ['factor', 'ok', 'totp disabled'],
    ]);
  });
});
