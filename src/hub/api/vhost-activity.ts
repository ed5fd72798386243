/** `/vhosts/activity`: the requests of the last hour, for all vhosts in one response. */
import { Elysia, t } from 'elysia';
import { ActivityQuery, Activity as Counts, Latency, LogActivity } from '../../shared/wire/logs.ts';
import type { Guard } from '../auth/guard.ts';
import { about } from '../http/about.ts';
import { AGENT, AgentQuery } from '../http/params.ts';
import { ASKS_AGENT, refusals } from '../http/refusal-schemas.ts';
import { type Activity, MOST_HOSTS } from '../watch/activity.ts';

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
          description: 'Oldest bucket first. With several agents, the requests of all together.',
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
