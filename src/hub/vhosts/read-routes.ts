/** `/vhosts`: listing vhosts and reading one. */
import { Elysia, t } from 'elysia';
import type { Guard } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { IdParams, idOf } from '../http/params.ts';
import { READS, refusals } from '../http/refusal-schemas.ts';
import { findVhost } from '../publish/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { byDomain, type Vhost } from '../publish/vhost.ts';
import { tagged, VHOST, VhostView, viewVhost } from './view.ts';

export type VhostReadRoutesDeps = { publisher: Publisher; guard: Guard };

export function vhostReadRoutes({ publisher, guard }: VhostReadRoutesDeps) {
  return new Elysia({ name: 'vhost-read', prefix: '/vhosts' })
    .use(guard)
    .get('/', ({ query: { tag } }) => listed(publisher.current().vhosts, tag), {
      query: t.Object({ tag: t.Optional(t.String({ maxLength: 100 })) }),
      response: { 200: t.Array(VhostView), ...refusals(...READS) },
      detail: about({
        id: 'listVhosts',
        tag: 'Vhosts',
        summary: 'List all vhosts, sorted by domain',
        access: 'read',
        params: { tag: { description: 'Only vhosts with this tag.', example: 'media' } },
        example: [VHOST],
      }),
    })
    .get('/:id', ({ params, set }) => tagged(findVhost(publisher.current(), idOf(params)), set), {
      params: IdParams,
      response: { 200: VhostView, ...refusals(...READS, 'NOT_FOUND') },
      detail: about({
        id: 'getVhost',
        tag: 'Vhosts',
        summary: 'Get a vhost',
        access: 'read',
        params: INTEGER_ID,
        example: VHOST,
        responseHeaders: ['ETag'],
      }),
    });
}

/** Sorted by domain. @param tag that they must have; any if it is empty or missing */
const listed = (vhosts: readonly Vhost[], tag?: string) =>
  vhosts
    .filter(({ tags }) => !tag || tags.includes(tag))
    .toSorted(byDomain)
    .map(viewVhost);
