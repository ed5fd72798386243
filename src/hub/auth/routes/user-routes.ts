/** `/users`: accounts and their roles, managed by owners. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { textParams } from '../../http/params.ts';
import { NEW_PASSWORD } from '../../http/refusal-schemas.ts';
import { route } from '../../http/route.ts';
import type { AuthContext } from './context.ts';
import { RoleName, USER, UserView, viewUser } from './views.ts';

const BOB = { name: 'Bob', email: 'bob@example.org' };

export function userRoutes({ accounts, directory, guard, bodyLimit }: AuthContext) {
  return new Elysia({ name: 'users' })
    .use(guard)
    .get(
      '/users',
      () => directory.list().map(viewUser),
      route({
        id: 'listUsers',
        tag: 'Accounts',
        summary: 'List all accounts',
        access: 'session',
        needs: 'owner',
        returns: t.Array(UserView),
        example: [USER],
      }),
    )
    .delete(
      '/users/:id',
      ({ params, who }) => {
        directory.remove(params.id, who);
        return { success: true as const };
      },
      route({
        id: 'deleteUser',
        tag: 'Accounts',
        summary: 'Delete an account with its sessions and tokens',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: textParams(USER.id),
        refuses: ['LAST_USER', 'LAST_OWNER'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/users',
      async ({ body, set, who }) => {
        const user = await accounts.create({ ...body, role: body.role ?? 'viewer' }, who);
        set.status = 201;
        return viewUser(user);
      },
      route({
        id: 'createUser',
        tag: 'Accounts',
        summary: 'Create an account for someone else',
        access: 'session',
        needs: 'owner',
        fresh: true,
        body: t.Object(
          {
            name: t.String(),
            email: t.String(),
            password: t.String(),
            role: t.Optional(RoleName),
          },
          { title: 'NewUser' },
        ),
        refuses: [...NEW_PASSWORD, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', 'RATE_LIMITED'],
        status: 201,
        returns: UserView,
        bodies: { bob: { value: { ...BOB, password: 'his passphrase', role: 'editor' } } },
        example: { ...USER, id: '9d3b1f7e5a42', ...BOB, role: 'editor' },
      }),
    )
    .post(
      '/auth/admin/set-role',
      ({ body, who }) => ({ user: viewUser(directory.setRole(body.userId, body.role, who)) }),
      route({
        id: 'setRole',
        tag: 'Accounts',
        summary: 'Give an account a role',
        description:
          'Ends the other sessions of that account. Its API tokens are bounded by the new role at once.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        body: t.Object({ userId: t.String(), role: RoleName }, { title: 'RoleChange' }),
        refuses: ['VALIDATION_ERROR', 'NOT_FOUND', 'LAST_OWNER'],
        returns: t.Object({ user: UserView }, { title: 'RoleChanged' }),
        bodies: { editor: { value: { userId: USER.id, role: 'editor' } } },
        example: { user: { ...USER, role: 'editor' } },
      }),
    );
}
