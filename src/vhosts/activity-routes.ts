/** `/vhosts/activity`: the requests of the last hour, of all vhosts in one answer. */
import { Elysia, t } from 'elysia';
import { ActivityQuery, Activity as Counts, ErrorBody, LogActivity } from '../../agent/wire.ts';
import type { Guard } from '../auth/guard.ts';
import type { Activity } from './activity.ts';

const DEFAULT_BUCKETS = 12;

const VhostActivity = t.Composite([
  t.Omit(LogActivity, ['domains']),
  t.Object({
    vhosts: t.Array(t.Composite([t.Object({ id: t.Integer() }), Counts]), {
      description: 'those with requests; by host name, whatever the port',
    }),
  }),
]);

export function vhostActivityRoutes({ activity, guard }: { activity: Activity; guard: Guard }) {
  return new Elysia({ name: 'vhost-activity', prefix: '/vhosts' })
    .use(guard)
    .get('/activity', ({ query }) => activity.lastHour(Number(query.buckets || DEFAULT_BUCKETS)), {
      query: t.Pick(ActivityQuery, ['buckets']),
      response: { 200: VhostActivity, 400: ErrorBody, 401: ErrorBody, 502: ErrorBody },
      detail: {
        summary: 'Requests and errors of the last hour, by vhost',
        description: 'In 12 stretches of time unless asked otherwise, oldest first.',
      },
    });
}
