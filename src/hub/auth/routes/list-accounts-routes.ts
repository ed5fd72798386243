/** `/auth/list-accounts`: what signs in to an account; better-auth's route. */
import { Elysia, t } from 'elysia';
import { route } from '../../http/route.ts';
import { Timestamp } from '../../http/schemas.ts';
import { NO_PASSWORD } from '../accounts/password.ts';
import type { LinkedOf } from '../beside-passwords.ts';
import type { User } from '../sessions/sessions.ts';
import type { AuthContext } from './context.ts';
import { SESSION, USER } from './views.ts';

export const Account = t.Object(
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
export const ACCOUNT = {
  id: '8e1c5b7d2f94',
  providerId: 'oidc',
  issuer: 'https://id.example',
  accountId: '4711',
  userId: USER.id,
  scopes: [],
  createdAt: SESSION.createdAt,
  updatedAt: SESSION.createdAt,
};

/** The password of a user as an account of its own, if there is one. */
const passwordOf = ({ id, passwordHash, createdAt }: User) =>
  passwordHash === NO_PASSWORD
    ? []
    : [{ id, provider: 'credential', issuer: 'local:credential', subject: id, createdAt }];

/** @param linked those of the features */
export function listAccountsRoutes({ guard, linked }: AuthContext & { linked: LinkedOf }) {
  return new Elysia({ name: 'list-accounts', prefix: '/auth' }).use(guard).get(
    '/list-accounts',
    ({ who: { user } }) =>
      [...passwordOf(user), ...linked(user.id)].map((one) => ({
        id: one.id,
        providerId: one.provider,
        issuer: one.issuer,
        accountId: one.subject,
        userId: user.id,
        scopes: [],
        createdAt: one.createdAt.toISOString(),
        updatedAt: one.createdAt.toISOString(),
      })),
    route({
      id: 'listAccounts',
      tag: 'Accounts',
      summary: 'List what signs in to your account',
      access: 'session',
      needs: 'viewer',
      returns: t.Array(Account),
      example: [ACCOUNT],
    }),
  );
}
