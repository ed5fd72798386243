/** `/users`: accounts and their roles, managed by owners. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { about } from '../../http/about.ts';
import { BODY, NEW_PASSWORD, refusals, WRITES } from '../../http/refusal-schemas.ts';
import { Success } from '../../http/schemas.ts';
import type { AuthContext } from './context.ts';
import { RoleName, USER, UserView, viewUser } from './views.ts';

const BOB = { name: 'Bob', email: 'bob@example.org' };

export function userRoutes({ accounts, directory, guard, bodyLimit }: AuthContext) {
  return new Elysia({ name: 'users' })
    .use(guard)
    .get('/users', () => directory.list().map(viewUser), {
      response: { 200: t.Array(UserView), ...refusals(...WRITES) },
      detail: about({
        id: 'listUsers',
        tag: 'Accounts',
        summary: 'List all accounts',
        access: 'session',
        needs: 'owner',
        example: [USER],
      }),
    })
    .delete(
      '/users/:id',
      ({ params, who }) => {
        directory.remove(params.id, who);
        return { success: true as const };
      },
      {
        params: t.Object({ id: t.String() }),
        response: {
          200: Success,
          ...refusals(...WRITES, 'SESSION_NOT_FRESH', 'NOT_FOUND', 'LAST_USER', 'LAST_OWNER'),
        },
        detail: about({
          id: 'deleteUser',
          tag: 'Accounts',
          summary: 'Delete an account with its sessions and tokens',
          access: 'session',
          needs: 'owner',
          fresh: true,
          params: { id: { example: USER.id } },
          example: { success: true },
        }),
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/users',
      async ({ body, set, who }) => {
        const user = await accounts.create({ ...body, role: body.role ?? 'viewer' }, who);
        set.status = 201;
        return viewUser(user);
      },
      {
        body: t.Object(
          {
            name: t.String(),
            email: t.String(),
            password: t.String(),
            role: t.Optional(RoleName),
          },
          { title: 'NewUser' },
        ),
        response: {
          201: UserView,
          ...refusals(
            ...WRITES,
            'SESSION_NOT_FRESH',
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
          needs: 'owner',
          fresh: true,
          bodies: { bob: { value: { ...BOB, password: 'his passphrase', role: 'editor' } } },
          example: { ...USER, id: '9d3b1f7e5a42', ...BOB, role: 'editor' },
        }),
      },
    )
    .post(
      '/auth/admin/set-role',
      ({ body, who }) => ({ user: viewUser(directory.setRole(body.userId, body.role, who)) }),
      {
        body: t.Object({ userId: t.String(), role: RoleName }, { title: 'RoleChange' }),
        response: {
          200: t.Object({ user: UserView }, { title: 'RoleChanged' }),
          ...refusals(
            ...WRITES,
            ...BODY,
            'VALIDATION_ERROR',
            'SESSION_NOT_FRESH',
            'NOT_FOUND',
            'LAST_OWNER',
          ),
        },
        detail: about({
          id: 'setRole',
          tag: 'Accounts',
          summary: 'Give an account a role',
          description:
            'Ends the other sessions of that account. Its API tokens are bounded by the new role at once.',
          access: 'session',
          needs: 'owner',
          fresh: true,
          bodies: { editor: { value: { userId: USER.id, role: 'editor' } } },
          example: { user: { ...USER, role: 'editor' } },
        }),
      },
    );
}
