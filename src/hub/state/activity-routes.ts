/** `/vhosts/activity`: the requests of the last hour, for all vhosts in one response. */
import { Elysia, t } from 'elysia';
import { ActivityQuery } from '../../shared/wire.ts';
import type { Guard } from '../auth/guard.ts';
import { about } from '../http/about.ts';
import { ASKS_AGENT, refusals } from '../http/refusal-schemas.ts';
import { type Activity, VhostActivity } from './activity.ts';

const DEFAULT_BUCKETS = 12;

export function vhostActivityRoutes({ activity, guard }: { activity: Activity; guard: Guard }) {
  return new Elysia({ name: 'vhost-activity', prefix: '/vhosts' })
    .use(guard)
    .get('/activity', ({ query }) => activity.lastHour(Number(query.buckets || DEFAULT_BUCKETS)), {
      query: t.Pick(ActivityQuery, ['buckets']),
      response: { 200: VhostActivity, ...refusals(...ASKS_AGENT) },
      detail: about({
        id: 'listVhostActivity',
        tag: 'Vhosts',
        summary: 'Count the requests and errors of the last hour, by vhost',
        description: 'Oldest bucket first.',
        access: 'read',
        params: {
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
            },
          ],
        },
      }),
    });
}
