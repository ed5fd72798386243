/** `/auth/passkey`: signing in with a passkey, wire-compatible with better-auth's plugin. */
import { Elysia, t } from 'elysia';
import { clientOf } from '../../../hub/auth/client.ts';
import {
  SESSION,
  SessionView,
  USER,
  UserView,
  viewSession,
  viewUser,
} from '../../../hub/auth/routes/views.ts';
import { SESSION_SECONDS } from '../../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { route } from '../../../hub/http/route.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import { note } from '../../../shared/observe/requests.ts';
import { SECONDS } from '../challenges.ts';
import type { PasskeySignIn } from './passkey-sign-in.ts';
import { AUTHENTICATION, AuthenticationResponse, CHALLENGE, WRONG_PASSKEY } from './views.ts';

const Options = t.Object(
  { challenge: t.String(), rpId: t.Optional(t.String()), userVerification: t.Literal('required') },
  { title: 'AuthenticationOptions', additionalProperties: true },
);

export function passkeySignInRoutes(api: ApiCore, passkeySignIn: PasskeySignIn) {
  const { accounts, cookies, addressOf, strangersBodyLimit } = api;
  return new Elysia({ name: 'passkey-sign-in', prefix: '/auth/passkey' })
    .use(cookies)
    .get(
      '/generate-authenticate-options',
      async ({ sessionCookie, ownCookie }) => {
        const who = accounts.find(sessionCookie.presented);
        const begun = await passkeySignIn.begin(who?.user.id ?? null);
        ownCookie('passkey').write(begun.challenge, SECONDS.passkey);
        return { ...begun.options, userVerification: 'required' as const };
      },
      route({
        id: 'beginPasskeySignIn',
        tag: 'Accounts',
        summary: 'Begin to sign in with a passkey, or to prove who you are',
        description:
          'The response is for `navigator.credentials.get`, in the browser that gets the cookie, within five minutes.',
        access: 'anyone',
        returns: Options,
        example: { challenge: CHALLENGE, rpId: 'box.example', userVerification: 'required' },
        responseHeaders: ['Set-Cookie'],
      }),
    )
    .use(jsonBody(strangersBodyLimit))
    .post(
      '/verify-authentication',
      async ({ body, request, sessionCookie, ownCookie }) => {
        const cookie = ownCookie('passkey');
        const answer = { response: body.response, challenge: cookie.value };
        const client = clientOf(request, addressOf(request));
        const previous = sessionCookie.presented;
        const { user, session } = await passkeySignIn.signIn(answer, { ...client, previous });
        note({ user: user.id });
        sessionCookie.write(session.token, SESSION_SECONDS);
        cookie.expire();
        return { session: viewSession(session), user: viewUser(user) };
      },
      route({
        id: 'signInPasskey',
        tag: 'Accounts',
        summary: 'Sign in with a passkey',
        description: 'It is both factors: no code is needed.',
        access: 'anyone',
        body: t.Object({ response: AuthenticationResponse }, { title: 'PasskeySignIn' }),
        refuses: WRONG_PASSKEY,
        returns: t.Object({ session: SessionView, user: UserView }, { title: 'SignedInByPasskey' }),
        bodies: { phone: { value: { response: AUTHENTICATION } } },
        example: { session: SESSION, user: USER },
        responseHeaders: ['Set-Cookie'],
      }),
    );
}
