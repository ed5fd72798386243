/** `/sessions` and `/auth/change-password`: what somebody signed in does about their own account. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/http.ts';
import { BODY, NEW_PASSWORD, refusals, WRITES } from '../../http/refusal-schemas.ts';
import { Success, Timestamp } from '../../http/schemas.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { SessionGuard } from '../guard.ts';
import type { sessionCookie } from '../sessions/cookie.ts';
import { SESSION_SECONDS } from '../sessions/sessions.ts';
import * as operations from './operations.ts';
import { UserView, viewUser } from './sign-in-routes.ts';

const SessionEntry = t.Object(
  {
    id: t.String(),
    current: t.Boolean({ description: 'the session this was asked with' }),
    ipAddress: t.String(),
    userAgent: t.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp,
  },
  { title: 'SignedInSession' },
);

export type SessionRoutesDeps = {
  accounts: Accounts;
  guard: SessionGuard;
  cookies: ReturnType<typeof sessionCookie>;
  addressOf: (request: Request) => string;
  bodyLimit: number;
};

export function sessionRoutes({
  accounts,
  guard,
  cookies,
  addressOf,
  bodyLimit,
}: SessionRoutesDeps) {
  return new Elysia({ name: 'sessions' })
    .use(cookies)
    .use(guard)
    .get(
      '/sessions',
      ({ who }) =>
        accounts.sessionsOf(who.user.id).map((session) => ({
          ...session,
          current: session.id === who.session.id,
          createdAt: session.createdAt.toISOString(),
          updatedAt: session.updatedAt.toISOString(),
          expiresAt: session.expiresAt.toISOString(),
        })),
      {
        response: { 200: t.Array(SessionEntry), ...refusals(...WRITES) },
        detail: operations.listSessions,
      },
    )
    .delete(
      '/sessions/:id',
      ({ params, who }) => {
        accounts.endSession(who.user.id, params.id);
        return { success: true as const };
      },
      {
        params: t.Object({ id: t.String() }),
        response: { 200: Success, ...refusals(...WRITES, 'NOT_FOUND') },
        detail: operations.endSession,
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/auth/change-password',
      async ({ body, request, sessionCookie, who }) => {
        const session = await accounts.changePassword(who, body, {
          ip: addressOf(request),
          userAgent: request.headers.get('user-agent') ?? '',
        });
        if (session) sessionCookie.write(session.token, SESSION_SECONDS);
        return { token: session?.token ?? null, user: viewUser(who.user) };
      },
      {
        body: t.Object(
          {
            currentPassword: t.String({ minLength: 1 }),
            newPassword: t.String(),
            revokeOtherSessions: t.Optional(t.Union([t.Boolean(), t.Null()])),
          },
          { title: 'PasswordChange' },
        ),
        response: {
          200: t.Object(
            { token: t.Union([t.String(), t.Null()]), user: UserView },
            { title: 'PasswordChanged' },
          ),
          ...refusals(...WRITES, ...BODY, ...NEW_PASSWORD, 'INVALID_PASSWORD', 'RATE_LIMITED'),
        },
        detail: operations.changePassword,
      },
    );
}
