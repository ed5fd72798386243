/** Sign-up, sign-in, sign-out and get-session, on the wire as better-auth's e-mail routes. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/http.ts';
import { isAskedHere } from '../../../shared/loopback.ts';
import { note } from '../../../shared/observe/context.ts';
import { BODY, NEW_PASSWORD, OPEN, refusals } from '../../http/refusal-schemas.ts';
import { Success, Timestamp } from '../../http/schemas.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { sessionCookie } from '../sessions/cookie.ts';
import { type Client, SESSION_SECONDS, type Session, type User } from '../sessions/sessions.ts';
import * as operations from './operations.ts';

export const UserView = t.Object(
  {
    id: t.String(),
    name: t.String(),
    email: t.String(),
    emailVerified: t.Literal(false),
    image: t.Null(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'User' },
);

const SessionView = t.Object(
  {
    id: t.String(),
    token: t.String(),
    userId: t.String(),
    expiresAt: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    ipAddress: t.String(),
    userAgent: t.String(),
  },
  { title: 'Session' },
);

export const viewUser = (user: User) => ({
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: false as const,
  image: null,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
});

const viewSession = (session: Session) => ({
  ...session,
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
  updatedAt: session.updatedAt.toISOString(),
});

export type AuthRoutesDeps = {
  accounts: Accounts;
  cookies: ReturnType<typeof sessionCookie>;
  addressOf: (request: Request) => string;
  /** Whether the hub listens on loopback alone. */
  loopback: boolean;
  bodyLimit: number;
};

export function authRoutes({ accounts, cookies, addressOf, loopback, bodyLimit }: AuthRoutesDeps) {
  const clientOf = (request: Request): Client => ({
    ip: addressOf(request),
    userAgent: request.headers.get('user-agent') ?? '',
  });

  return new Elysia({ name: 'auth', prefix: '/auth' })
    .use(cookies)
    .derive(({ request, sessionCookie }) => {
      // Before the body is read: a closed door says nothing about what was brought to it.
      if (!request.url.includes('/sign-up/')) return { signedIn: false };
      const signedIn = accounts.find(sessionCookie.presented) !== null;
      accounts.assertOpen(signedIn);
      return { signedIn };
    })
    .post(
      '/sign-out',
      ({ sessionCookie }) => {
        accounts.signOut(sessionCookie.presented);
        sessionCookie.expire();
        return { success: true as const };
      },
      { response: { 200: Success, ...refusals(...OPEN) }, detail: operations.signOut },
    )
    .get(
      '/get-session',
      ({ sessionCookie }) => {
        const who = accounts.find(sessionCookie.presented);
        // Elysia answers a bare null with an empty body; the client wants the word.
        if (!who) return Response.json(null) as never;
        return { session: viewSession(who.session), user: viewUser(who.user) };
      },
      {
        response: {
          200: t.Object({ session: SessionView, user: UserView }, { title: 'SignedIn' }),
          ...refusals(...OPEN),
        },
        detail: operations.getSession,
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/sign-up/email',
      async ({ body, request, signedIn, sessionCookie }) => {
        const isNear = loopback && isAskedHere(request.headers);
        const made = await accounts.signUp(body, { ...clientOf(request), signedIn, isNear });
        note({ user: made.user.id });
        sessionCookie.write(made.session.token, SESSION_SECONDS);
        return { token: made.session.token, user: viewUser(made.user) };
      },
      {
        body: t.Object(
          {
            name: t.String(),
            email: t.String(),
            password: t.String(),
            setupCode: t.Optional(t.String({ description: 'for the first account alone' })),
          },
          { title: 'SignUp' },
        ),
        response: {
          200: t.Object({ token: t.String(), user: UserView }, { title: 'SignedUp' }),
          ...refusals(
            ...OPEN,
            ...BODY,
            ...NEW_PASSWORD,
            'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
            'SIGN_UP_CLOSED',
            'SETUP_CODE_REQUIRED',
            'RATE_LIMITED',
          ),
        },
        detail: operations.signUp,
      },
    )
    .post(
      '/sign-in/email',
      async ({ body, request, sessionCookie }) => {
        const previous = sessionCookie.presented;
        const { session, user } = await accounts.signIn(body, { ...clientOf(request), previous });
        note({ user: user.id });
        sessionCookie.write(session.token, SESSION_SECONDS);
        return { redirect: false as const, token: session.token, user: viewUser(user) };
      },
      {
        body: t.Object(
          { email: t.String(), password: t.String({ minLength: 1 }) },
          { title: 'SignIn' },
        ),
        response: {
          200: t.Object(
            { redirect: t.Literal(false), token: t.String(), user: UserView },
            { title: 'SignedInAgain' },
          ),
          ...refusals(
            ...OPEN,
            ...BODY,
            'VALIDATION_ERROR',
            'INVALID_EMAIL',
            'INVALID_EMAIL_OR_PASSWORD',
            'RATE_LIMITED',
          ),
        },
        detail: operations.signIn,
      },
    );
}
