/** `/auth/two-factor`: turning the second factor on and off, wire-compatible with better-auth's plugin. */
import { Elysia, t } from 'elysia';
import { CREDENTIALS, USER } from '../../../hub/auth/routes/views.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { about } from '../../../hub/http/about.ts';
import { BODY, refusals, WRITES } from '../../../hub/http/refusal-schemas.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import type { FactorSetup } from './factor-setup.ts';

const Password = t.String({ minLength: 1 });
const JustPassword = t.Object({ password: Password }, { title: 'PasswordOnly' });
const password = { value: { password: CREDENTIALS.password } };

const TOTP_URI = `otpauth://totp/signalbox:${encodeURIComponent(USER.email)}?issuer=signalbox&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30`;
const BACKUP_CODES = ['8k2m-v0qx-3n7d-w9ht', 'c4gz-61rj-p5sy-0bfe'];

const REFUSALS = [
  ...WRITES,
  ...BODY,
  'SESSION_NOT_FRESH',
  'VALIDATION_ERROR',
  'INVALID_PASSWORD',
  'RATE_LIMITED',
] as const;

export function twoFactorRoutes(api: ApiCore, factorSetup: FactorSetup) {
  const { accounts, sessionGuard, bodyLimit } = api;
  return new Elysia({ name: 'two-factor', prefix: '/auth/two-factor' })
    .use(sessionGuard)
    .use(jsonBody(bodyLimit))
    .post(
      '/enable',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        const made = await factorSetup.enable(who, body.issuer ?? '');
        return { method: 'totp' as const, ...made };
      },
      {
        body: t.Object(
          {
            password: Password,
            method: t.Optional(t.Literal('totp')),
            issuer: t.Optional(
              t.String({
                maxLength: 64,
                description: 'what the app shows; `signalbox` by default',
              }),
            ),
          },
          { title: 'TwoFactorRequest' },
        ),
        response: {
          200: t.Object(
            {
              method: t.Literal('totp'),
              totpURI: t.String(),
              backupCodes: t.Array(t.String()),
            },
            { title: 'TwoFactorBegun' },
          ),
          ...refusals(...REFUSALS, 'SECRET_KEY_UNUSABLE'),
        },
        detail: about({
          id: 'enableTwoFactor',
          tag: 'Accounts',
          summary: 'Prepare a second factor',
          description:
            'It counts once a first code was sent to `verify-totp`; until then, an earlier one still does. Only this response contains the recovery codes.',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { password },
          example: { method: 'totp', totpURI: TOTP_URI, backupCodes: BACKUP_CODES },
        }),
      },
    )
    .post(
      '/disable',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        factorSetup.disable(who);
        return { status: true as const };
      },
      {
        body: JustPassword,
        response: {
          200: t.Object({ status: t.Literal(true) }, { title: 'TwoFactorDisabled' }),
          ...refusals(...REFUSALS),
        },
        detail: about({
          id: 'disableTwoFactor',
          tag: 'Accounts',
          summary: 'Remove the second factor',
          description: 'Also the recovery codes. Ends all other sessions.',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { password },
          example: { status: true },
        }),
      },
    )
    .post(
      '/generate-backup-codes',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        return { status: true as const, backupCodes: factorSetup.renewCodes(who) };
      },
      {
        body: JustPassword,
        response: {
          200: t.Object(
            { status: t.Literal(true), backupCodes: t.Array(t.String()) },
            { title: 'RecoveryCodes' },
          ),
          ...refusals(...REFUSALS, 'TWO_FACTOR_NOT_ENABLED'),
        },
        detail: about({
          id: 'generateBackupCodes',
          tag: 'Accounts',
          summary: 'Replace the recovery codes',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { password },
          example: { status: true, backupCodes: BACKUP_CODES },
        }),
      },
    )
    .post(
      '/get-totp-uri',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        return { totpURI: await factorSetup.uri(who) };
      },
      {
        body: JustPassword,
        response: {
          200: t.Object({ totpURI: t.String() }, { title: 'TotpUri' }),
          ...refusals(...REFUSALS, 'TOTP_NOT_ENABLED', 'SECRET_KEY_UNUSABLE'),
        },
        detail: about({
          id: 'getTotpUri',
          tag: 'Accounts',
          summary: 'Get what another authenticator app has to read',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { password },
          example: { totpURI: TOTP_URI },
        }),
      },
    );
}
