import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createAuthClient } from 'better-auth/client';
import { twoFactorClient } from 'better-auth/client/plugins';
import { type TOTP, URI } from 'otpauth';
import { type HubAlone, startHubAlone } from '../../../harness/hub-alone.ts';

const PASSWORD = 'a long passphrase';
const NEW = 'quite another phrase';
let stack: HubAlone;

/** better-auth's published client, with a cookie jar like a browser's. */
function createClient() {
  const jar = { cookie: '' };
  const redirects: unknown[] = [];
  const client = createAuthClient({
    plugins: [twoFactorClient({ onTwoFactorRedirect: (to) => void redirects.push(to) })],
    baseURL: `${stack.hub}/auth`,
    fetchOptions: {
      onRequest(context) {
        if (jar.cookie !== '') context.headers.set('cookie', jar.cookie);
        return context;
      },
      onResponse({ response }) {
        const [set] = response.headers.getSetCookie();
        if (set) jar.cookie = set.split(';')[0] ?? '';
      },
    },
  });
  return { client, jar, redirects };
}

beforeAll(async () => {
  stack = await startHubAlone();
});
afterAll(() => stack.stop());

test('the client understands every error', async () => {
  const { client } = createClient();
  const short = await client.signUp.email({ name: 'Ada', email: 'ada@example.org', password: 'x' });
  expect([short.data, short.error?.status, short.error?.code]).toEqual([
    null,
    400,
    'PASSWORD_TOO_SHORT',
  ]);
  const unknown = await client.signIn.email({ email: 'eve@example.org', password: PASSWORD });
  expect([unknown.error?.status, unknown.error?.code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD']);
  expect(unknown.error?.message).toEqual(expect.any(String));
  expect((await client.getSession()).data).toBeNull();
});

test('it signs up, reads its session, signs out and in again, and changes the password', async () => {
  const { client, jar } = createClient();
  const up = await client.signUp.email({
    name: 'Ada',
    email: 'Ada@example.org',
    password: PASSWORD,
  });
  expect(up.error).toBeNull();
  expect(up.data?.user).toMatchObject({ name: 'Ada', email: 'ada@example.org', image: null });
  expect(up.data?.user.createdAt).toBeInstanceOf(Date);

  const session = await client.getSession();
  expect(session.data?.user.id).toBe(up.data?.user.id as string);
  expect(session.data?.session.token).toBe(up.data?.token as string);
  expect(session.data?.session.expiresAt.getTime()).toBeGreaterThan(Date.now());

  expect((await client.signOut()).data).toMatchObject({ success: true });
  expect(jar.cookie).toBe(`signalbox_session_${new URL(stack.hub).port}=`);
  expect((await client.getSession()).data).toBeNull();

  const back = await client.signIn.email({ email: 'ada@example.org', password: PASSWORD });
  expect(back.data).toMatchObject({ redirect: false, user: { id: up.data?.user.id } });
  const again = await createClient().client.signUp.email({
    name: 'Eve',
    email: 'eve@example.org',
    password: PASSWORD,
  });
  expect([again.error?.status, again.error?.code]).toEqual([403, 'SIGN_UP_CLOSED']);

  const wrong = await client.changePassword({ currentPassword: NEW, newPassword: NEW });
  expect([wrong.error?.status, wrong.error?.code]).toEqual([400, 'INVALID_PASSWORD']);
  const changed = await client.changePassword({
    currentPassword: PASSWORD,
    newPassword: NEW,
    revokeOtherSessions: true,
  });
  expect(changed.data?.token).toEqual(expect.any(String));
  expect((await client.getSession()).data?.session.token).toBe(changed.data?.token as string);
});

test('it turns a second factor on, signs in with it and with a recovery code, and turns it off', async () => {
  const { client, redirects } = createClient();
  const credentials = { email: 'ada@example.org', password: NEW };
  await client.signIn.email(credentials);
  const wrong = await client.twoFactor.enable({ password: PASSWORD });
  expect([wrong.error?.status, wrong.error?.code]).toEqual([400, 'INVALID_PASSWORD']);
  const begun = await client.twoFactor.enable({ password: NEW, issuer: 'box' });
  if (begun.data?.method !== 'totp') throw new Error('no TOTP');
  const totp = URI.parse(begun.data.totpURI) as TOTP;
  expect([totp.issuer, totp.label]).toEqual(['box', credentials.email]);
  const codeOf = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  expect((await client.twoFactor.verifyTotp({ code: codeOf(-1) })).error).toBeNull();
  expect((await client.getSession()).data?.user).toMatchObject({ twoFactorEnabled: true });
  const uri = await client.twoFactor.getTotpUri({ password: NEW });
  expect(uri.data?.totpURI).toContain(totp.secret.base32);
  const codes = await client.twoFactor.generateBackupCodes({ password: NEW });
  expect(codes.data?.backupCodes.length).toBe(10);

  expect((await client.signIn.email(credentials)).data).toMatchObject({ twoFactorRedirect: true });
  expect(redirects).toEqual([{ twoFactorMethods: ['totp'] }]);
  expect((await client.getSession()).data).toBeNull();
  const used = await client.twoFactor.verifyTotp({ code: codeOf(-1) });
  expect([used.error?.status, used.error?.code]).toEqual([401, 'INVALID_CODE']);
  const code = codeOf(1);
  const verified = await client.twoFactor.verifyTotp({ code, trustDevice: true });
  expect(verified.data?.token).toEqual(expect.any(String));
  expect((await client.getSession()).data?.session.token).toBe(verified.data?.token as string);

  await client.signIn.email(credentials);
  const recovered = await client.twoFactor.verifyBackupCode({
    code: codes.data?.backupCodes[0] ?? '',
  });
  expect(recovered.data?.user).toMatchObject({ email: credentials.email });
  expect((await client.twoFactor.disable({ password: NEW })).data).toEqual({ status: true });
  expect((await client.signIn.email(credentials)).data).toMatchObject({ redirect: false });
});
