/** `/users`: accounts, managed by those who have one. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../agent/http.ts';
import { ErrorBody } from '../../agent/wire.ts';
import type { Directory } from './directory.ts';
import type { SessionGuard } from './guard.ts';
import { UserView, viewUser } from './routes.ts';
import type { Accounts } from './service.ts';

const Refusals = { 401: ErrorBody, 403: ErrorBody };

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
      response: { 200: t.Array(UserView), ...Refusals },
    })
    .delete(
      '/:id',
      ({ params }) => {
        directory.remove(params.id);
        return { success: true as const };
      },
      {
        params: t.Object({ id: t.String() }),
        response: {
          200: t.Object({ success: t.Literal(true) }),
          404: ErrorBody,
          409: ErrorBody,
          ...Refusals,
        },
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
        body: t.Object({ name: t.String(), email: t.String(), password: t.String() }),
        response: { 201: UserView, 400: ErrorBody, 422: ErrorBody, 429: ErrorBody, ...Refusals },
      },
    );
}
