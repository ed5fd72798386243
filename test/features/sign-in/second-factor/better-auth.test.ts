/** The second factor with better-auth's published client. */
import { expect, test } from 'bun:test';
import { type TOTP, URI } from 'otpauth';
import { createClientOf } from '../../../harness/better-auth.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';

const PASSWORD = 'a long passphrase';
const OTHER = 'quite another phrase';

const stack = await forFile(startHubAlone());
test('it turns a second factor on, signs in with it and with a recovery code, and turns it off', async () => {
  const { client, redirects } = createClientOf(stack.hub);
  const credentials = { email: 'ada@example.org', password: PASSWORD };
  await client.signUp.email({ name: 'Ada', ...credentials });
  await client.signIn.email(credentials);
  const wrong = await client.twoFactor.enable({ password: OTHER });
  expect([wrong.error?.status, wrong.error?.code]).toEqual([400, 'INVALID_PASSWORD']);
  const begun = await client.twoFactor.enable({ password: PASSWORD, issuer: 'box' });
  if (begun.data?.method !== 'totp') throw new Error('no TOTP');
  const totp = URI.parse(begun.data.totpURI) as TOTP;
  expect([totp.issuer, totp.label]).toEqual(['box', credentials.email]);
  const codeOf = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  // Not the step before, which may become the one before that on its way to the hub.
  const first = codeOf(0);
  expect((await client.twoFactor.verifyTotp({ code: first })).error).toBeNull();
  expect((await client.getSession()).data?.user).toMatchObject({ twoFactorEnabled: true });
  const uri = await client.twoFactor.getTotpUri({ password: PASSWORD });
  expect(uri.data?.totpURI).toContain(totp.secret.base32);
  const codes = await client.twoFactor.generateBackupCodes({ password: PASSWORD });
  expect(codes.data?.backupCodes.length).toBe(10);

  expect((await client.signIn.email(credentials)).data).toMatchObject({ twoFactorRedirect: true });
  expect(redirects).toEqual([{ twoFactorMethods: ['totp'] }]);
  expect((await client.getSession()).data).toBeNull();
  const used = await client.twoFactor.verifyTotp({ code: first });
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
  expect((await client.twoFactor.disable({ password: PASSWORD })).data).toEqual({ status: true });
  expect((await client.signIn.email(credentials)).data).toMatchObject({ redirect: false });
});
