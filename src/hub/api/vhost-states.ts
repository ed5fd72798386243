/**
 * `/vhosts/state`: certificates, upstreams and last errors of the vhosts, as the proxy reports them.
 * `/vhosts/activity`: the requests of the last hour, for all vhosts in one response.
 */
import { Elysia, t } from 'elysia';
import { ActivityQuery, Activity as Counts, Latency, LogActivity } from '../../shared/wire/logs.ts';
import type { Guard } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { AGENT, AgentQuery, IdParams, idOf } from '../http/params.ts';
import { ASKS_AGENT, ASKS_PROXY, refusals } from '../http/refusal-schemas.ts';
import { type Activity, MOST_HOSTS } from '../watch/activity.ts';
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

const VhostActivity = t.Composite(
  [
    t.Omit(LogActivity, ['domains']),
    t.Object({
      vhosts: t.Array(
        t.Composite([
          t.Object({
            id: t.Integer(),
            hosts: t.Array(t.String(), {
              description: `the host names that were requested, at most ${MOST_HOSTS}`,
            }),
          }),
          Counts,
          t.Object({ p95: Latency }),
        ]),
        { description: 'the vhosts that had requests; matched by host name, on any port' },
      ),
    }),
  ],
  { title: 'VhostActivity' },
);

const DEFAULT_BUCKETS = 12;

export function vhostActivityRoutes({ activity, guard }: { activity: Activity; guard: Guard }) {
  const { lastHour } = activity;
  return new Elysia({ name: 'vhost-activity', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/activity',
      ({ query }) => lastHour(Number(query.buckets || DEFAULT_BUCKETS), query.agent),
      {
        query: t.Composite([t.Pick(ActivityQuery, ['buckets']), AgentQuery]),
        response: { 200: VhostActivity, ...refusals(...ASKS_AGENT, 'NOT_FOUND') },
        detail: about({
          id: 'listVhostActivity',
          tag: 'Vhosts',
          summary: 'Requests, errors and latency of the last hour, by vhost',
          description:
            'Oldest bucket first; requests of checks do not count. With several agents, the requests of all together.',
          access: 'read',
          params: {
            ...AGENT,
            buckets: {
              description: 'How many buckets to divide the hour into, 1 to 60; 12 by default.',
              example: '12',
            },
          },
          example: {
            from: '2026-11-20T17:00:00.000Z',
            to: '2026-11-20T18:00:00.000Z',
            buckets: 2,
            vhosts: [
              {
                id: 1,
                hosts: ['app.example.org'],
                requests: [3, 1],
                status4xx: [0, 1],
                status5xx: [0, 0],
                p95: 12.5,
              },
            ],
          },
        }),
      },
    );
}
