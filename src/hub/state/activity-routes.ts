/** `/vhosts/activity`: the requests of the last hour, of all vhosts in one answer. */
import { Elysia, t } from 'elysia';
import { ActivityQuery, Activity as Counts, LogActivity } from '../../shared/wire.ts';
import type { Guard } from '../auth/guard.ts';
import { ASKS_AGENT, refusals } from '../http/refusal-schemas.ts';
import type { Activity } from './activity.ts';
import * as operations from './operations.ts';

const DEFAULT_BUCKETS = 12;

const VhostActivity = t.Composite(
  [
    t.Omit(LogActivity, ['domains']),
    t.Object({
      vhosts: t.Array(t.Composite([t.Object({ id: t.Integer() }), Counts]), {
        description: 'those with requests; by host name, whatever the port',
      }),
    }),
  ],
  { title: 'VhostActivity' },
);

export function vhostActivityRoutes({ activity, guard }: { activity: Activity; guard: Guard }) {
  return new Elysia({ name: 'vhost-activity', prefix: '/vhosts' })
    .use(guard)
    .get('/activity', ({ query }) => activity.lastHour(Number(query.buckets || DEFAULT_BUCKETS)), {
      query: t.Pick(ActivityQuery, ['buckets']),
      response: { 200: VhostActivity, ...refusals(...ASKS_AGENT) },
      detail: operations.listVhostActivity,
    });
}
