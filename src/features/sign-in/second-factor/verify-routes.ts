/** `/auth/two-factor/verify-…`: the second half of a sign-in, and the first code of a new app. */
import { Elysia, t } from 'elysia';
import { SECOND_HALF } from '../../../hub/auth/beside-passwords.ts';
import { clientOf } from '../../../hub/auth/client.ts';
import { SESSION, USER, UserView, viewUser } from '../../../hub/auth/routes/views.ts';
import type { OwnCookie, SessionCookie } from '../../../hub/auth/sessions/cookie.ts';
import { SESSION_SECONDS } from '../../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { route } from '../../../hub/http/route.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import { note } from '../../../shared/observe/requests.ts';
import { CODE, Code, WRONG_CODE } from './codes-schema.ts';
import type { Attempt, SecondFactor } from './second-factor.ts';

type Context = {
  request: Request;
  sessionCookie: SessionCookie;
  ownCookie: (name: string) => OwnCookie;
};

const body = t.Object(
  {
    code: Code,
    trustDevice: t.Optional(
      t.Boolean({ description: 'ignored: each sign-in by password needs a code' }),
    ),
  },
  { title: 'SecondFactorCode' },
);
const Verified = t.Object({ token: t.String(), user: UserView }, { title: 'Verified' });
const VERIFIES = [
  ...WRONG_CODE,
  'INVALID_TWO_FACTOR_COOKIE',
  'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE',
] as const;
const example = { token: SESSION.token, user: { ...USER, twoFactorEnabled: true } };

export function verifyRoutes(api: ApiCore, secondFactor: SecondFactor) {
  const { accounts, cookies, addressOf, strangersBodyLimit } = api;

  async function verify({ request, sessionCookie, ownCookie }: Context, attempt: Attempt) {
    const client = clientOf(request, addressOf(request));
    const { presented } = sessionCookie;
    const who = accounts.find(presented);
    if (who) {
      note({ user: who.user.id });
      await secondFactor.verify({ ...who, via: null, client }, attempt);
      const { user } = accounts.find(presented) ?? who;
      return { token: who.session.token, user: viewUser(user) };
    }
    const cookie = ownCookie(SECOND_HALF.cookie);
    const half = { ...attempt, challenge: cookie.value };
    const { user, session } = await secondFactor.signIn(half, { ...client, previous: presented });
    note({ user: user.id });
    sessionCookie.write(session.token, SESSION_SECONDS);
    cookie.expire();
    return { token: session.token, user: viewUser(user) };
  }

  return new Elysia({ name: 'verify', prefix: '/auth/two-factor' })
    .use(cookies)
    .use(jsonBody(strangersBodyLimit))
    .post(
      '/verify-totp',
      (context) => verify(context, { method: 'totp', code: context.body.code }),
      route({
        id: 'verifyTotp',
        tag: 'Accounts',
        summary: 'Send a code of the authenticator app',
        description:
          'Completes a sign-in. With a session, the first code turns the second factor on, and ends all other sessions.',
        access: 'anyone',
        body,
        refuses: [...VERIFIES, 'TOTP_NOT_ENABLED'],
        returns: Verified,
        bodies: { code: { value: { code: CODE } } },
        example,
        responseHeaders: ['Set-Cookie'],
      }),
    )
    .post(
      '/verify-backup-code',
      (context) => verify(context, { method: 'recovery', code: context.body.code }),
      route({
        id: 'verifyBackupCode',
        tag: 'Accounts',
        summary: 'Send a recovery code',
        description: 'Completes a sign-in. Each code works once.',
        access: 'anyone',
        body,
        refuses: [...VERIFIES, 'BACKUP_CODES_NOT_ENABLED'],
        returns: Verified,
        bodies: { code: { value: { code: '8k2m-v0qx-3n7d-w9ht' } } },
        example,
        responseHeaders: ['Set-Cookie'],
      }),
    );
}
