/** `/vhosts`: read, create, change, delete and toggle, one by one or several at once. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/http.ts';
import { authorOf, type Guard } from '../auth/guard.ts';
import { IdParams, idOf, ReplaceQuery, replaces } from '../http/params.ts';
import { BODY, PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Success } from '../http/schemas.ts';
import {
  createChange,
  deleteChange,
  findVhost,
  sequence,
  toggleChange,
  updateChange,
} from '../publish/changes.ts';
import { changeOf, NewVhost, Operation, VhostFields } from '../publish/operation.ts';
import type { Publisher } from '../publish/publisher.ts';
import { byDomain, type Vhost } from '../publish/vhost.ts';
import * as operations from './operations.ts';
import { etagOf, preconditionOf, VhostView, viewVhost } from './view.ts';

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
      params: IdParams,
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
        params: IdParams,
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
        params: IdParams,
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
        params: IdParams,
        query: ReplaceQuery,
        body: t.Object(VhostFields, { title: 'VhostChanges' }),
        response: {
          200: VhostView,
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'DOMAIN_TAKEN', 'PRECONDITION_FAILED'),
        },
        detail: operations.updateVhost,
      },
    );
}
