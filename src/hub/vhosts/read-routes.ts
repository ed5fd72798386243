/** `/vhosts`: listing vhosts and reading one. */
import { Elysia, t } from 'elysia';
import type { Guard } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { IdParams, idOf } from '../http/params.ts';
import { READS, refusals } from '../http/refusal-schemas.ts';
import { agentNamed, setFor } from '../model/placement.ts';
import { byDomain, type SiteSet } from '../model/vhost.ts';
import { findVhost } from '../model/vhost-changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { tagged, VHOST, VhostView, viewVhost } from './view.ts';

export type VhostReadRoutesDeps = { publisher: Publisher; guard: Guard };

export function vhostReadRoutes({ publisher, guard }: VhostReadRoutesDeps) {
  return new Elysia({ name: 'vhost-read', prefix: '/vhosts' })
    .use(guard)
    .get('/', ({ query: { tag, agent } }) => listed(publisher.current(), tag, agent), {
      query: t.Object({
        tag: t.Optional(t.String({ maxLength: 100 })),
        agent: t.Optional(t.String({ maxLength: 40 })),
      }),
      response: { 200: t.Array(VhostView), ...refusals(...READS, 'NOT_FOUND') },
      detail: about({
        id: 'listVhosts',
        tag: 'Vhosts',
        summary: 'List all vhosts, sorted by domain',
        access: 'read',
        params: {
          tag: { description: 'Only vhosts with this tag.', example: 'media' },
          agent: { description: 'Only vhosts that this agent’s proxy serves.', example: 'local' },
        },
        example: [VHOST],
      }),
    })
    .get(
      '/:id',
      ({ params, set }) => {
        const current = publisher.current();
        return tagged(findVhost(current, idOf(params)), current, set);
      },
      {
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
      },
    );
}

/**
 * Sorted by domain.
 * @param tag that they must have; any if it is empty or missing
 * @param agent on which they must be placed; any if it is empty or missing
 * @throws Failure NOT_FOUND if there is no such agent
 */
function listed(set: SiteSet, tag?: string, agent?: string) {
  const { vhosts } = agent ? setFor(set, agentNamed(agent, set).id) : set;
  return vhosts
    .filter(({ tags }) => !tag || tags.includes(tag))
    .toSorted(byDomain)
    .map((vhost) => viewVhost(vhost, set));
}
