/** Signing in with the sign-in service; better-auth's routes. */
import { Elysia, t } from 'elysia';
import { SECOND_HALF } from '../../../hub/auth/beside-passwords.ts';
import { clientOf } from '../../../hub/auth/client.ts';
import { SESSION_SECONDS } from '../../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { route } from '../../../hub/http/route.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import { note } from '../../../shared/observe/requests.ts';
import { PROVIDER } from './linked-accounts.ts';
import type { OidcSignIn } from './sign-in.ts';
import { COOKIE, createVisits, GO, VISIT, VISITS, Visit, visit } from './visits.ts';

/** The way there and back. @param oidc null: there is no sign-in service */
export function oidcRoutes(api: ApiCore, oidc: OidcSignIn | null) {
  const { cookies, addressOf, strangersBodyLimit } = api;
  const visitService = createVisits(api, oidc);
  return new Elysia({ name: 'oidc', prefix: '/auth' })
    .use(cookies)
    .get(
      `/callback/${PROVIDER}`,
      async ({ request, set, sessionCookie, ownCookie }) => {
        const cookie = ownCookie(COOKIE);
        const previous = sessionCookie.presented;
        const client = { ...clientOf(request, addressOf(request)), previous };
        const { searchParams } = new URL(request.url);
        const back = await oidc?.finish(cookie.value, searchParams, client);
        cookie.expire();
        const { begun } = back ?? {};
        if (begun && 'challenge' in begun) {
          ownCookie(SECOND_HALF.cookie).write(begun.challenge, SECOND_HALF.seconds);
          if (previous !== null) sessionCookie.expire();
        } else if (begun) {
          note({ user: begun.user.id });
          sessionCookie.write(begun.session.token, SESSION_SECONDS);
        }
        set.status = 302;
        set.headers.location = back?.to ?? '/';
        set.headers['cache-control'] = 'no-store';
        return '';
      },
      { detail: { hide: true } },
    )
    .use(jsonBody(strangersBodyLimit))
    .post(
      '/sign-in/social',
      (context) => visitService(context.body, context),
      route({
        id: 'signInSocial',
        tag: 'Accounts',
        summary: 'Sign in with the sign-in service',
        description:
          'Send the browser to `url`, with the cookie of this response. It comes back to `callbackURL`, signed in, or to `errorCallbackURL` with `?error=`. Only an account that is linked signs in; with `invitation`, one is made for it.',
        access: 'anyone',
        body: t.Object(
          {
            ...visit,
            invitation: t.Optional(
              t.String({ description: 'the token of an owner’s invitation, to make an account' }),
            ),
          },
          { title: 'SocialSignIn' },
        ),
        refuses: [...VISITS, 'INVITATION_INVALID'],
        returns: Visit,
        bodies: { oidc: GO },
        example: VISIT,
        responseHeaders: ['Set-Cookie'],
      }),
    );
}
