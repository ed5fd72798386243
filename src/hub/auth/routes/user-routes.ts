/** `/users`: accounts, managed by those who have one. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/http.ts';
import { BODY, NEW_PASSWORD, refusals, WRITES } from '../../http/refusal-schemas.ts';
import { Success } from '../../http/schemas.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Directory } from '../accounts/directory.ts';
import type { SessionGuard } from '../guard.ts';
import * as operations from './operations.ts';
import { UserView, viewUser } from './sign-in-routes.ts';

export type UserRoutesDeps = {
  accounts: Accounts;
  directory: Directory;
  guard: SessionGuard;
  bodyLimit: number;
};

export function userRoutes({ accounts, directory, guard, bodyLimit }: UserRoutesDeps) {
  return new Elysia({ name: 'users', prefix: '/users' })
    .use(guard)
    .get('/', () => directory.list().map(viewUser), {
      response: { 200: t.Array(UserView), ...refusals(...WRITES) },
      detail: operations.listUsers,
    })
    .delete(
      '/:id',
      ({ params }) => {
        directory.remove(params.id);
        return { success: true as const };
      },
      {
        params: t.Object({ id: t.String() }),
        response: { 200: Success, ...refusals(...WRITES, 'NOT_FOUND', 'LAST_USER') },
        detail: operations.deleteUser,
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body, set }) => {
        const made = await accounts.make(body);
        set.status = 201;
        return viewUser(made);
      },
      {
        body: t.Object(
          { name: t.String(), email: t.String(), password: t.String() },
          { title: 'NewUser' },
        ),
        response: {
          201: UserView,
          ...refusals(
            ...WRITES,
            ...BODY,
            ...NEW_PASSWORD,
            'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
            'RATE_LIMITED',
          ),
        },
        detail: operations.createUser,
      },
    );
}
