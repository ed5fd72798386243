/** `/agents` on the hub's socket, for `signalbox agents`. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import type { Author } from '../model/changes.ts';
import type { Fleet } from './fleet.ts';

const NameParams = t.Object({ name: t.String() });

export type LocalAgentRoutesDeps = { fleet: Fleet; author: Author; bodyLimit: number };

export function localAgentRoutes({ fleet, author, bodyLimit }: LocalAgentRoutesDeps) {
  return new Elysia({ name: 'local-agents', prefix: '/agents' })
    .get('/', () => fleet.list())
    .delete(
      '/:name',
      async ({ params }) => {
        const agent = fleet.show(params.name);
        await fleet.remove(params.name, author);
        return agent;
      },
      { params: NameParams },
    )
    .post('/:name/rotate', ({ params }) => fleet.rotate(params.name, author), {
      params: NameParams,
    })
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body: { name, invitation, replace } }) => fleet.add(name, invitation, author, replace),
      { body: t.Object({ name: t.String(), invitation: t.String(), replace: t.Boolean() }) },
    )
    .patch('/:name', ({ params, body }) => fleet.update(params.name, body, author), {
      params: NameParams,
      body: t.Object({ name: t.Optional(t.String()), paused: t.Optional(t.Boolean()) }),
    });
}
