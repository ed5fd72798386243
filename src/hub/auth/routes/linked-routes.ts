/** The accounts of the sign-in service that sign in to a person's own; better-auth's routes. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { about } from '../../http/about.ts';
import { BODY, refusals, WRITES } from '../../http/refusal-schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import { NO_PASSWORD } from '../accounts/password.ts';
import { PROVIDER } from '../oidc/linked-accounts.ts';
import type { AuthContext } from './context.ts';
import { SESSION, USER } from './views.ts';
import { createVisits, GO, VISIT, VISITS, Visit, visit } from './visits.ts';

const Account = t.Object(
  {
    id: t.String(),
    providerId: t.String({ description: '`oidc`, or `credential` for the password' }),
    issuer: t.String(),
    accountId: t.String({ description: 'what the service calls the account (`sub`)' }),
    userId: t.String(),
    scopes: t.Array(t.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'LinkedAccount' },
);
const ACCOUNT = {
  ...{ id: '8e1c5b7d2f94', providerId: PROVIDER, issuer: 'https://id.example' },
  ...{ accountId: '4711', userId: USER.id, scopes: [] },
  ...{ createdAt: SESSION.createdAt, updatedAt: SESSION.createdAt },
};

export function linkedRoutes(deps: AuthContext) {
  const { linked, cookies, guard, bodyLimit } = deps;
  const visitService = createVisits(deps);
  return new Elysia({ name: 'linked-accounts', prefix: '/auth' })
    .use(cookies)
    .use(guard)
    .get(
      '/list-accounts',
      ({ who: { user } }) => {
        const password = {
          ...{ id: user.id, provider: 'credential', issuer: 'local:credential' },
          ...{ subject: user.id, createdAt: user.createdAt },
        };
        const own = user.passwordHash === NO_PASSWORD ? [] : [password];
        return [...own, ...linked.list(user.id)].map((one) => ({
          ...{ id: one.id, providerId: one.provider, issuer: one.issuer },
          ...{ accountId: one.subject, userId: user.id, scopes: [] },
          createdAt: one.createdAt.toISOString(),
          updatedAt: one.createdAt.toISOString(),
        }));
      },
      {
        response: { 200: t.Array(Account), ...refusals(...WRITES) },
        detail: about({
          id: 'listAccounts',
          tag: 'Accounts',
          summary: 'List what signs in to your account',
          access: 'session',
          needs: 'viewer',
          example: [ACCOUNT],
        }),
      },
    )
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
