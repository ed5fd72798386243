/** `/vhosts/state`: certificates, upstreams and last errors of the vhosts, as the proxy reports them. */
import { Elysia, t } from 'elysia';
import type { Guard } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { AGENT, AgentQuery, IdParams, idOf } from '../http/params.ts';
import { ASKS_PROXY, refusals } from '../http/refusal-schemas.ts';
import { createStates, type StatesDeps } from '../watch/sites/states.ts';
import { STATE, VhostState } from '../watch/sites/view.ts';

export function vhostStateRoutes({ guard, ...deps }: StatesDeps & { guard: Guard }) {
  const states = createStates(deps);
  return new Elysia({ name: 'vhost-state', prefix: '/vhosts' })
    .use(guard)
    .get('/state', ({ query }) => states.all(query.agent), {
      query: AgentQuery,
      response: { 200: t.Array(VhostState), ...refusals(...ASKS_PROXY, 'NOT_FOUND') },
      detail: about({
        id: 'listVhostStates',
        tag: 'Vhosts',
        summary: 'List the state of all vhosts',
        description:
          'Certificates are those that the proxy presented in a TLS handshake with the agent, at most five minutes ago. With several agents, the state is the worst of theirs.',
        access: 'read',
        params: AGENT,
        example: [STATE],
      }),
    })
    .get('/:id/state', ({ params, query }) => states.one(idOf(params), query.agent), {
      params: IdParams,
      query: AgentQuery,
      response: { 200: VhostState, ...refusals(...ASKS_PROXY, 'NOT_FOUND') },
      detail: about({
        id: 'getVhostState',
        tag: 'Vhosts',
        summary: 'Get the state of a vhost',
        access: 'read',
        params: { ...INTEGER_ID, ...AGENT },
        example: STATE,
      }),
    });
}
