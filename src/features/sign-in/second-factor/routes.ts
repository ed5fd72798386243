/** `/auth/two-factor`: turning the second factor on and off, wire-compatible with better-auth's plugin. */
import { Elysia, t } from 'elysia';
import { CREDENTIALS, USER } from '../../../hub/auth/routes/views.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { route } from '../../../hub/http/route.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import type { FactorSetup } from './factor-setup.ts';

const Password = t.String({ minLength: 1 });
const JustPassword = t.Object({ password: Password }, { title: 'PasswordOnly' });
const password = { value: { password: CREDENTIALS.password } };

const TOTP_URI = `otpauth://totp/signalbox:${encodeURIComponent(USER.email)}?issuer=signalbox&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30`;
const BACKUP_CODES = ['8k2m-v0qx-3n7d-w9ht', 'c4gz-61rj-p5sy-0bfe'];

const REFUSALS = ['VALIDATION_ERROR', 'INVALID_PASSWORD', 'RATE_LIMITED'] as const;

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
      route({
        id: 'enableTwoFactor',
        tag: 'Accounts',
        summary: 'Prepare a second factor',
        description:
          'It counts once a first code was sent to `verify-totp`; until then, an earlier one still does. Only this response contains the recovery codes.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
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
        refuses: [...REFUSALS, 'SECRET_KEY_UNUSABLE'],
        returns: t.Object(
          {
            method: t.Literal('totp'),
            totpURI: t.String(),
            backupCodes: t.Array(t.String()),
          },
          { title: 'TwoFactorBegun' },
        ),
        bodies: { password },
        example: { method: 'totp', totpURI: TOTP_URI, backupCodes: BACKUP_CODES },
      }),
    )
    .post(
      '/disable',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        factorSetup.disable(who);
        return { status: true as const };
      },
      route({
        id: 'disableTwoFactor',
        tag: 'Accounts',
        summary: 'Remove the second factor',
        description: 'Also the recovery codes. Ends all other sessions.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: JustPassword,
        refuses: REFUSALS,
        returns: t.Object({ status: t.Literal(true) }, { title: 'TwoFactorDisabled' }),
        bodies: { password },
        example: { status: true },
      }),
    )
    .post(
      '/generate-backup-codes',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        return { status: true as const, backupCodes: factorSetup.renewCodes(who) };
      },
      route({
        id: 'generateBackupCodes',
        tag: 'Accounts',
        summary: 'Replace the recovery codes',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: JustPassword,
        refuses: [...REFUSALS, 'TWO_FACTOR_NOT_ENABLED'],
        returns: t.Object(
          { status: t.Literal(true), backupCodes: t.Array(t.String()) },
          { title: 'RecoveryCodes' },
        ),
        bodies: { password },
        example: { status: true, backupCodes: BACKUP_CODES },
      }),
    )
    .post(
      '/get-totp-uri',
      async ({ body, who }) => {
        await accounts.assertPassword(who, body.password);
        return { totpURI: await factorSetup.uri(who) };
      },
      route({
        id: 'getTotpUri',
        tag: 'Accounts',
        summary: 'Get what another authenticator app has to read',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: JustPassword,
        refuses: [...REFUSALS, 'TOTP_NOT_ENABLED', 'SECRET_KEY_UNUSABLE'],
        returns: t.Object({ totpURI: t.String() }, { title: 'TotpUri' }),
        bodies: { password },
        example: { totpURI: TOTP_URI },
      }),
    );
}
