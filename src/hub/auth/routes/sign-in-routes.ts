/** Sign-up, sign-in, sign-out and get-session, wire-compatible with better-auth's email routes. */
import { Elysia, t } from 'elysia';
import { jsonBody, readJson } from '../../../shared/json-body.ts';
import { note } from '../../../shared/observe/requests.ts';
import { NEW_PASSWORD } from '../../http/refusal-schemas.ts';
import { route } from '../../http/route.ts';
import { SECOND_HALF } from '../beside-passwords.ts';
import { clientOf } from '../client.ts';
import { forbiddenRole } from '../guard.ts';
import { SESSION_SECONDS } from '../sessions/sessions.ts';
import type { AuthContext } from './context.ts';
import {
  CREDENTIALS,
  SESSION,
  SessionView,
  USER,
  UserView,
  viewSession,
  viewUser,
} from './views.ts';

export function signInRoutes(deps: AuthContext) {
  const { accounts, cookies, addressOf, isLocal, bodyLimit } = deps;
  return new Elysia({ name: 'auth', prefix: '/auth' })
    .use(cookies)
    .onTransform(async (context) => {
      if (!context.path.includes('/sign-up/')) return;
      try {
        accounts.assertOpen(accounts.roleOf(context.sessionCookie.presented) === 'owner');
      } catch (closed) {
        // The response must not depend on anything else in the body.
        const body = await readJson(context.request, bodyLimit).catch(() => ({}));
        if (!('invitation' in body && typeof body.invitation === 'string')) throw closed;
        context.body = body;
      }
    })
    .post(
      '/sign-out',
      ({ request, sessionCookie }) => {
        accounts.signOut(sessionCookie.presented, clientOf(request, addressOf(request)));
        sessionCookie.expire();
        return { success: true as const };
      },
      route({
        id: 'signOut',
        tag: 'Accounts',
        summary: 'End the session',
        description: 'Clears the cookie. Succeeds without a session too.',
        access: 'anyone',
        responseHeaders: ['Set-Cookie'],
      }),
    )
    .get(
      '/get-session',
      ({ sessionCookie }) => {
        const who = accounts.find(sessionCookie.presented);
        // Elysia sends a bare null as an empty body; the client expects `null`.
        if (!who) return Response.json(null) as never;
        return { session: viewSession(who.session), user: viewUser(who.user) };
      },
      route({
        id: 'getSession',
        tag: 'Accounts',
        summary: 'Get the current session and its user',
        description: '`null` if nobody is signed in.',
        access: 'anyone',
        returns: t.Object({ session: SessionView, user: UserView }, { title: 'SignedIn' }),
        example: { session: SESSION, user: USER },
        nullable: true,
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/sign-up/email',
      async ({ body, request, sessionCookie }) => {
        const client = clientOf(request, addressOf(request));
        // Once more: the session may have ended while the body arrived.
        const found = accounts.find(sessionCookie.presented);
        const assertAllowed = () => {
          if (accounts.roleOf(sessionCookie.presented) !== 'owner') throw forbiddenRole('owner');
        };
        const owner =
          found?.user.role === 'owner' ? { ...found, via: null, client, assertAllowed } : null;
        const by = { ...client, owner, isLocal: isLocal(request) };
        const { session, user } = await accounts.signUp(body, by);
        note({ user: user.id });
        sessionCookie.write(session.token, SESSION_SECONDS);
        return { token: session.token, user: viewUser(user) };
      },
      route({
        id: 'signUpEmail',
        tag: 'Accounts',
        summary: 'Create an account and sign it in',
        description:
          '`SIGN_UP` decides who may: with `first`, anyone may create the first account, which is an owner, then only owners, who make editors. Strangers become viewers. An invitation says the role.',
        access: 'anyone',
        body: t.Object(
          {
            name: t.String(),
            email: t.String(),
            password: t.String(),
            setupCode: t.Optional(
              t.String({ description: 'for the first account, from anywhere but this machine' }),
            ),
            invitation: t.Optional(
              t.String({
                description: 'the token of an owner’s invitation, whatever `SIGN_UP` is',
              }),
            ),
          },
          { title: 'SignUp' },
        ),
        refuses: [
          ...NEW_PASSWORD,
          'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
          'SIGN_UP_CLOSED',
          'SESSION_NOT_FRESH',
          'SETUP_CODE_REQUIRED',
          'INVITATION_INVALID',
          'RATE_LIMITED',
        ],
        returns: t.Object({ token: t.String(), user: UserView }, { title: 'SignedUp' }),
        bodies: { owner: { value: { name: USER.name, ...CREDENTIALS } } },
        example: { token: SESSION.token, user: USER },
        responseHeaders: ['Set-Cookie'],
      }),
    )
    .post(
      '/sign-in/email',
      async ({ body, request, sessionCookie, ownCookie }) => {
        const client = clientOf(request, addressOf(request));
        const previous = sessionCookie.presented;
        const begun = await accounts.signIn(body, { ...client, previous });
        if ('challenge' in begun) {
          ownCookie(SECOND_HALF.cookie).write(begun.challenge, SECOND_HALF.seconds);
          if (previous !== null) sessionCookie.expire();
          return { twoFactorRedirect: true as const, twoFactorMethods: ['totp' as const] };
        }
        const { session, user } = begun;
        note({ user: user.id });
        sessionCookie.write(session.token, SESSION_SECONDS);
        return { redirect: false as const, token: session.token, user: viewUser(user) };
      },
      route({
        id: 'signInEmail',
        tag: 'Accounts',
        summary: 'Sign in',
        description:
          'An account with a second factor gets `twoFactorRedirect` and no session: its next request is one to `/api/auth/two-factor/verify-totp` or `verify-backup-code` with the cookie of this response.',
        access: 'anyone',
        body: t.Object(
          { email: t.String(), password: t.String({ minLength: 1 }) },
          { title: 'SignIn' },
        ),
        refuses: [
          'VALIDATION_ERROR',
          'INVALID_EMAIL',
          'INVALID_EMAIL_OR_PASSWORD',
          'RATE_LIMITED',
          'SECRET_KEY_UNUSABLE',
        ],
        returns: t.Union([
          t.Object(
            { redirect: t.Literal(false), token: t.String(), user: UserView },
            { title: 'SignedInAgain' },
          ),
          t.Object(
            {
              twoFactorRedirect: t.Literal(true),
              twoFactorMethods: t.Array(t.Literal('totp')),
            },
            { title: 'HalfSignedIn' },
          ),
        ]),
        bodies: { ada: { value: CREDENTIALS } },
        example: { redirect: false, token: SESSION.token, user: USER },
        responseHeaders: ['Set-Cookie'],
      }),
    );
}
