/** `/vhosts`: read, create, change, delete and toggle. */
import { Elysia, type Static, t } from 'elysia';
import { Failure } from '../../agent/failure.ts';
import { jsonBody } from '../../agent/http.ts';
import { ErrorBody } from '../../agent/wire.ts';
import type { Caller, Guard } from '../auth/guard.ts';
import { createChange, deleteChange, findVhost, toggleChange, updateChange } from './changes.ts';
import type { Publisher } from './publisher.ts';
import type { Vhost } from './vhost.ts';

const VhostView = t.Object({
  id: t.Integer(),
  domain: t.String(),
  config: t.String(),
  enabled: t.Boolean(),
  upstream: t.String(),
  createdAt: t.String(),
  updatedAt: t.String(),
});

const view = ({ position: _, ...vhost }: Vhost) => ({
  ...vhost,
  createdAt: vhost.createdAt.toISOString(),
  updatedAt: vhost.updatedAt.toISOString(),
});

const authorOf = ({ user, via }: Caller) => ({ userId: user.id, userName: user.name, via });

/** Anything that is no vhost's id is not found. */
function idOf({ id }: { id: string }): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw new Failure('NOT_FOUND', 'There is no such vhost.');
}

const byDomain = (a: Vhost, b: Vhost) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0);

const Params = t.Object({ id: t.String() });
/**
 * `replace=true`: the first change may replace sites that somebody else wrote.
 * No `UnionEnum`: Elysia gives a missing one its first value.
 */
const Query = t.Object({ replace: t.Optional(t.Union([t.Literal('true'), t.Literal('false')])) });
const replaces = (query: Static<typeof Query>) => query.replace === 'true';
const Refusals = {
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  409: ErrorBody,
  502: ErrorBody,
  507: ErrorBody,
};

export type VhostRoutesDeps = { publisher: Publisher; guard: Guard; bodyLimit: number };

export function vhostRoutes({ publisher, guard, bodyLimit }: VhostRoutesDeps) {
  return new Elysia({ name: 'vhosts', prefix: '/vhosts' })
    .use(guard)
    .get('/', () => publisher.current().vhosts.toSorted(byDomain).map(view), {
      response: { 200: t.Array(VhostView), 401: ErrorBody },
    })
    .get('/:id', ({ params }) => view(findVhost(publisher.current(), idOf(params))), {
      params: Params,
      response: { 200: VhostView, 401: ErrorBody, 404: ErrorBody },
    })
    .patch(
      '/:id/toggle',
      async ({ params, query, who }) =>
        view(await publisher.apply(toggleChange(idOf(params)), authorOf(who), replaces(query))),
      { params: Params, query: Query, response: { 200: VhostView, ...Refusals } },
    )
    .delete(
      '/:id',
      ({ params, query, who }) =>
        publisher.apply(deleteChange(idOf(params)), authorOf(who), replaces(query)),
      {
        params: Params,
        query: Query,
        response: { 200: t.Object({ success: t.Literal(true) }), ...Refusals },
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body, query, who, set }) => {
        const made = await publisher.apply(createChange(body), authorOf(who), replaces(query));
        set.status = 201;
        return view(made);
      },
      {
        query: Query,
        body: t.Object({
          domain: t.String(),
          config: t.String(),
          upstream: t.Optional(t.String()),
          enabled: t.Optional(t.Boolean()),
        }),
        response: { 201: VhostView, 400: ErrorBody, ...Refusals },
      },
    )
    .put(
      '/:id',
      async ({ params, query, body, who }) =>
        view(
          await publisher.apply(updateChange(idOf(params), body), authorOf(who), replaces(query)),
        ),
      {
        params: Params,
        query: Query,
        body: t.Object({
          domain: t.Optional(t.String()),
          config: t.Optional(t.String()),
          upstream: t.Optional(t.String()),
          enabled: t.Optional(t.Boolean()),
        }),
        response: { 200: VhostView, 400: ErrorBody, ...Refusals },
      },
    );
}
