/** The accounts of the sign-in service that sign in to a person's own; better-auth's routes. */
import { Elysia, t } from 'elysia';
import { ACCOUNT } from '../../../hub/auth/routes/list-accounts-routes.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { route } from '../../../hub/http/route.ts';
import { jsonBody } from '../../../shared/json-body.ts';
import type { LinkedAccounts } from './linked-accounts.ts';
import type { OidcSignIn } from './sign-in.ts';
import { createVisits, GO, VISIT, VISITS, Visit, visit } from './visits.ts';

/** @param oidc null: there is no sign-in service */
export function linkedRoutes(api: ApiCore, oidc: OidcSignIn | null, linked: LinkedAccounts) {
  const { cookies, sessionGuard, bodyLimit } = api;
  const visitService = createVisits(api, oidc);
  return new Elysia({ name: 'linked-accounts', prefix: '/auth' })
    .use(cookies)
    .use(sessionGuard)
    .use(jsonBody(bodyLimit))
    .post(
      '/link-social',
      (context) => visitService(context.body, context, context.who),
      route({
        id: 'linkSocial',
        tag: 'Accounts',
        summary: 'Link an account of the sign-in service to yours',
        description: 'As `POST /api/auth/sign-in/social`; this session has to last until then.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: t.Object(visit, { title: 'SocialLink' }),
        refuses: VISITS,
        returns: Visit,
        bodies: { oidc: GO },
        example: VISIT,
        responseHeaders: ['Set-Cookie'],
      }),
    )
    .post(
      '/unlink-account',
      ({ body, who }) => {
        linked.remove(body.accountId, who);
        return { status: true as const };
      },
      route({
        id: 'unlinkAccount',
        tag: 'Accounts',
        summary: 'Unlink an account',
        description: 'Ends your other sessions. An account without a password keeps the last one.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: t.Object(
          { accountId: t.String({ description: '`id` in `/api/auth/list-accounts`' }) },
          { title: 'AccountUnlink' },
        ),
        refuses: ['VALIDATION_ERROR', 'ACCOUNT_NOT_FOUND', 'FAILED_TO_UNLINK_LAST_ACCOUNT'],
        returns: t.Object({ status: t.Literal(true) }, { title: 'AccountUnlinked' }),
        bodies: { one: { value: { accountId: ACCOUNT.id } } },
        example: { status: true },
      }),
    );
}
