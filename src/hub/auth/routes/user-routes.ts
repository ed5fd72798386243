/** `/users`: accounts, managed by anyone who has one. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { about } from '../../http/about.ts';
import { BODY, NEW_PASSWORD, refusals, WRITES } from '../../http/refusal-schemas.ts';
import { Success } from '../../http/schemas.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Directory } from '../accounts/directory.ts';
import type { SessionGuard } from '../guard.ts';
import { USER, UserView, viewUser } from './views.ts';

const BOB = { name: 'Bob', email: 'bob@example.org' };

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
      detail: about({
        id: 'listUsers',
        tag: 'Accounts',
        summary: 'List all accounts',
        access: 'session',
        example: [USER],
      }),
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
        detail: about({
          id: 'deleteUser',
          tag: 'Accounts',
          summary: 'Delete an account with its sessions and tokens',
          access: 'session',
          params: { id: { example: USER.id } },
          example: { success: true },
        }),
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body, set }) => {
        const user = await accounts.create(body);
        set.status = 201;
        return viewUser(user);
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
        detail: about({
          id: 'createUser',
          tag: 'Accounts',
          summary: 'Create an account for someone else',
          access: 'session',
          bodies: { bob: { value: { ...BOB, password: 'his passphrase' } } },
          example: { ...USER, id: '9d3b1f7e5a42', ...BOB },
        }),
      },
    );
}
