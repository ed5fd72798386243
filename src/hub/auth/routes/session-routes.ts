/** `/sessions` and `/auth/change-password`: what signed-in users manage about their own account. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { textParams } from '../../http/params.ts';
import { NEW_PASSWORD } from '../../http/refusal-schemas.ts';
import { route } from '../../http/route.ts';
import { Timestamp } from '../../http/schemas.ts';
import { clientOf } from '../client.ts';
import { forbiddenRole } from '../guard.ts';
import { SESSION_SECONDS, type SessionInfo } from '../sessions/sessions.ts';
import type { AuthContext } from './context.ts';
import { CREDENTIALS, SESSION, USER, UserView, viewSession, viewUser } from './views.ts';

export const SessionEntry = t.Object(
  {
    id: t.String(),
    current: t.Boolean({ description: 'the session that made this request' }),
    ipAddress: t.String(),
    userAgent: t.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp,
  },
  { title: 'SignedInSession' },
);

const { token: _, userId: __, ...LISTED } = SESSION;

export function sessionRoutes(deps: AuthContext) {
  const { accounts, guard, cookies, addressOf, bodyLimit } = deps;
  return new Elysia({ name: 'sessions' })
    .use(cookies)
    .use(guard)
    .get(
      '/sessions',
      ({ query, who }) => {
        const user = query.user || who.user.id;
        if (user !== who.user.id && who.user.role !== 'owner') throw forbiddenRole('owner');
        const view = (one: SessionInfo) => ({
          ...viewSession(one),
          current: one.id === who.session.id,
        });
        return accounts.listOf(user).map(view);
      },
      route({
        id: 'listSessions',
        tag: 'Accounts',
        summary: 'List your sessions or, as an owner, those of an account',
        access: 'session',
        needs: 'viewer',
        query: t.Object({
          user: t.Optional(
            t.String({
              maxLength: 100,
              description: 'The id of an account; only for owners.',
              example: USER.id,
            }),
          ),
        }),
        refuses: ['NOT_FOUND'],
        returns: t.Array(SessionEntry),
        example: [{ ...LISTED, current: true }],
      }),
    )
    .delete(
      '/sessions/:id',
      ({ params, who }) => {
        accounts.endSession(who, params.id);
        return { success: true as const };
      },
      route({
        id: 'endSession',
        tag: 'Accounts',
        summary: 'End one of your sessions or, as an owner, anybody’s',
        description:
          'That of another account needs a proof that is at most an hour old: see `POST /api/auth/prove`.',
        access: 'session',
        needs: 'viewer',
        params: textParams(SESSION.id),
        refuses: ['SESSION_NOT_FRESH'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/auth/change-password',
      async ({ body, request, sessionCookie, who }) => {
        const client = clientOf(request, addressOf(request));
        const session = await accounts.changePassword(who, body, client);
        if (session) sessionCookie.write(session.token, SESSION_SECONDS);
        return { token: session?.token ?? null, user: viewUser(who.user) };
      },
      route({
        id: 'changePassword',
        tag: 'Accounts',
        summary: 'Change your password',
        description:
          'Ends all other sessions. With `revokeOtherSessions`, a new session, whose token is `token`, also replaces this one.',
        access: 'session',
        needs: 'viewer',
        body: t.Object(
          {
            currentPassword: t.String({ minLength: 1 }),
            newPassword: t.String(),
            revokeOtherSessions: t.Optional(t.Union([t.Boolean(), t.Null()])),
          },
          { title: 'PasswordChange' },
        ),
        refuses: [...NEW_PASSWORD, 'INVALID_PASSWORD', 'RATE_LIMITED'],
        returns: t.Object(
          { token: t.Union([t.String(), t.Null()]), user: UserView },
          { title: 'PasswordChanged' },
        ),
        bodies: {
          change: {
            value: {
              currentPassword: CREDENTIALS.password,
              newPassword: 'four words of another',
            },
          },
        },
        example: { token: null, user: USER },
      }),
    );
}
