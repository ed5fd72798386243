/** `/vhosts`: read, create, change, delete and toggle, one by one or several at once. */
import { Elysia, type Static, t } from 'elysia';
import { Failure } from '../../agent/failure.ts';
import { jsonBody } from '../../agent/http.ts';
import { ErrorBody } from '../../agent/wire.ts';
import type { Guard } from '../auth/guard.ts';
import {
  type Change,
  createChange,
  deleteChange,
  findVhost,
  sequence,
  toggleChange,
  updateChange,
} from './changes.ts';
import type { Publisher } from './publisher.ts';
import type { Vhost } from './vhost.ts';
import { authorOf, etagOf, preconditionOf, VhostView, viewVhost } from './view.ts';

/** Anything that is no vhost's id is not found. */
export function idOf({ id }: { id: string }): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw new Failure('NOT_FOUND', 'There is no such vhost.');
}

/** The order of lists. */
export const byDomain = (a: Vhost, b: Vhost) =>
  a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0;

const Params = t.Object({ id: t.String() });
/**
 * `replace=true`: the first change may replace sites that somebody else wrote.
 * No `UnionEnum`: Elysia gives a missing one its first value.
 */
export const ReplaceQuery = t.Object({
  replace: t.Optional(t.Union([t.Literal('true'), t.Literal('false')])),
});
export const replaces = (query: Static<typeof ReplaceQuery>) => query.replace === 'true';

/** What any publish may answer instead. */
export const Refusals = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  409: ErrorBody,
  412: ErrorBody,
  502: ErrorBody,
  507: ErrorBody,
};

const Success = t.Object({ success: t.Literal(true) });
const NewVhost = {
  domain: t.String(),
  config: t.String(),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
};
const AnyFields = {
  domain: t.Optional(t.String()),
  config: t.Optional(t.String()),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
};

/** One change of a vhost in a list of them, or to be previewed. */
export const Operation = t.Union([
  t.Object({ op: t.Literal('create'), ...NewVhost }),
  t.Object({ op: t.Literal('update'), id: t.Integer(), ...AnyFields }),
  t.Object({ op: t.Literal('delete'), id: t.Integer() }),
  t.Object({ op: t.Literal('toggle'), id: t.Integer() }),
]);

export function changeOf(operation: Static<typeof Operation>): Change<Vhost | { success: true }> {
  switch (operation.op) {
    case 'create':
      return createChange(operation);
    case 'update':
      return updateChange(operation.id, operation);
    case 'delete':
      return deleteChange(operation.id);
    case 'toggle':
      return toggleChange(operation.id);
  }
}

const MOST_OPERATIONS = 1_000;

export type VhostRoutesDeps = { publisher: Publisher; guard: Guard; bodyLimit: number };

export function vhostRoutes({ publisher, guard, bodyLimit }: VhostRoutesDeps) {
  const tagged = (vhost: Vhost, set: { headers: Record<string, string | number> }) => {
    set.headers.ETag = etagOf(vhost);
    return viewVhost(vhost);
  };

  return new Elysia({ name: 'vhosts', prefix: '/vhosts' })
    .use(guard)
    .get('/', () => publisher.current().vhosts.toSorted(byDomain).map(viewVhost), {
      response: { 200: t.Array(VhostView), 401: ErrorBody },
    })
    .get('/:id', ({ params, set }) => tagged(findVhost(publisher.current(), idOf(params)), set), {
      params: Params,
      response: { 200: VhostView, 401: ErrorBody, 404: ErrorBody },
    })
    .patch(
      '/:id/toggle',
      async ({ params, query, request, who, set }) => {
        const change = toggleChange(idOf(params), preconditionOf(request));
        return tagged(await publisher.apply(change, authorOf(who), replaces(query)), set);
      },
      { params: Params, query: ReplaceQuery, response: { 200: VhostView, ...Refusals } },
    )
    .delete(
      '/:id',
      ({ params, query, request, who }) => {
        const change = deleteChange(idOf(params), preconditionOf(request));
        return publisher.apply(change, authorOf(who), replaces(query));
      },
      { params: Params, query: ReplaceQuery, response: { 200: Success, ...Refusals } },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body, query, who, set }) => {
        const made = await publisher.apply(createChange(body), authorOf(who), replaces(query));
        set.status = 201;
        return tagged(made, set);
      },
      {
        query: ReplaceQuery,
        body: t.Object(NewVhost),
        response: { 201: VhostView, ...Refusals },
      },
    )
    .post(
      '/bulk',
      async ({ body, query, who }) => {
        const change = sequence(body.operations.map(changeOf));
        const results = await publisher.apply(change, authorOf(who), replaces(query));
        return { results: results.map((one) => ('success' in one ? one : viewVhost(one))) };
      },
      {
        query: ReplaceQuery,
        body: t.Object({ operations: t.Array(Operation, { maxItems: MOST_OPERATIONS }) }),
        response: {
          200: t.Object({ results: t.Array(t.Union([VhostView, Success])) }),
          ...Refusals,
        },
      },
    )
    .put(
      '/:id',
      async ({ params, query, body, request, who, set }) => {
        const change = updateChange(idOf(params), body, preconditionOf(request));
        return tagged(await publisher.apply(change, authorOf(who), replaces(query)), set);
      },
      {
        params: Params,
        query: ReplaceQuery,
        body: t.Object(AnyFields),
        response: { 200: VhostView, ...Refusals },
      },
    );
}
