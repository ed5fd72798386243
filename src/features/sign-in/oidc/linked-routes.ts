/** The accounts of the sign-in service that sign in to a person's own; better-auth's routes. */
import { Elysia, t } from 'elysia';
import { ACCOUNT } from '../../../hub/auth/routes/list-accounts-routes.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { about } from '../../../hub/http/about.ts';
import { BODY, refusals, WRITES } from '../../../hub/http/refusal-schemas.ts';
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
    .post('/link-social', (context) => visitService(context.body, context, context.who), {
      body: t.Object(visit, { title: 'SocialLink' }),
      response: { 200: Visit, ...refusals(...WRITES, ...BODY, ...VISITS, 'SESSION_NOT_FRESH') },
      detail: about({
        id: 'linkSocial',
        tag: 'Accounts',
        summary: 'Link an account of the sign-in service to yours',
        description: 'As `POST /api/auth/sign-in/social`; this session has to last until then.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        bodies: { oidc: GO },
        example: VISIT,
        responseHeaders: ['Set-Cookie'],
      }),
    })
    .post(
      '/unlink-account',
      ({ body, who }) => {
        linked.remove(body.accountId, who);
        return { status: true as const };
      },
      {
        body: t.Object(
          { accountId: t.String({ description: '`id` in `/api/auth/list-accounts`' }) },
          { title: 'AccountUnlink' },
        ),
        response: {
          200: t.Object({ status: t.Literal(true) }, { title: 'AccountUnlinked' }),
          ...refusals(
            ...([...WRITES, ...BODY, 'VALIDATION_ERROR', 'SESSION_NOT_FRESH'] as const),
            ...(['ACCOUNT_NOT_FOUND', 'FAILED_TO_UNLINK_LAST_ACCOUNT'] as const),
          ),
        },
        detail: about({
          id: 'unlinkAccount',
          tag: 'Accounts',
          summary: 'Unlink an account',
          description:
            'Ends your other sessions. An account without a password keeps the last one.',
          access: 'session',
          needs: 'viewer',
          fresh: true,
          bodies: { one: { value: { accountId: ACCOUNT.id } } },
          example: { status: true },
        }),
      },
    );
}
