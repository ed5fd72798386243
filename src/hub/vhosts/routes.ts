/** `/vhosts`: read, create, change, delete and toggle, one by one or several at once. */
import { Elysia, type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/http.ts';
import type { Guard } from '../auth/guard.ts';
import { BODY, PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Success } from '../http/schemas.ts';
import {
  type Change,
  createChange,
  deleteChange,
  findVhost,
  sequence,
  toggleChange,
  updateChange,
} from '../publish/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Vhost } from '../publish/vhost.ts';
import * as operations from './operations.ts';
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
export const Operation = t.Union(
  [
    t.Object({ op: t.Literal('create'), ...NewVhost }, { title: 'CreateVhost' }),
    t.Object({ op: t.Literal('update'), id: t.Integer(), ...AnyFields }, { title: 'UpdateVhost' }),
    t.Object({ op: t.Literal('delete'), id: t.Integer() }, { title: 'DeleteVhost' }),
    t.Object({ op: t.Literal('toggle'), id: t.Integer() }, { title: 'ToggleVhost' }),
  ],
  { title: 'Operation' },
);

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
      response: { 200: t.Array(VhostView), ...refusals(...READS) },
      detail: operations.listVhosts,
    })
    .get('/:id', ({ params, set }) => tagged(findVhost(publisher.current(), idOf(params)), set), {
      params: Params,
      response: { 200: VhostView, ...refusals(...READS, 'NOT_FOUND') },
      detail: operations.getVhost,
    })
    .patch(
      '/:id/toggle',
      async ({ params, query, request, who, set }) => {
        const change = toggleChange(idOf(params), preconditionOf(request));
        return tagged(await publisher.apply(change, authorOf(who), replaces(query)), set);
      },
      {
        params: Params,
        query: ReplaceQuery,
        response: { 200: VhostView, ...refusals(...PUBLISHES, 'NOT_FOUND', 'PRECONDITION_FAILED') },
        detail: operations.toggleVhost,
      },
    )
    .delete(
      '/:id',
      ({ params, query, request, who }) => {
        const change = deleteChange(idOf(params), preconditionOf(request));
        return publisher.apply(change, authorOf(who), replaces(query));
      },
      {
        params: Params,
        query: ReplaceQuery,
        response: { 200: Success, ...refusals(...PUBLISHES, 'NOT_FOUND', 'PRECONDITION_FAILED') },
        detail: operations.deleteVhost,
      },
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
        body: t.Object(NewVhost, { title: 'NewVhost' }),
        response: { 201: VhostView, ...refusals(...PUBLISHES, ...BODY, 'DOMAIN_TAKEN') },
        detail: operations.createVhost,
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
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'DOMAIN_TAKEN'),
        },
        detail: operations.bulkVhosts,
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
        body: t.Object(AnyFields, { title: 'VhostChanges' }),
        response: {
          200: VhostView,
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'DOMAIN_TAKEN', 'PRECONDITION_FAILED'),
        },
        detail: operations.updateVhost,
      },
    );
}
