/** `/vhosts/:id/uptime`: how a vhost answered between changes, by the hour; `/vhosts/uptime`: all, for a list. */
import { Elysia, type Static, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { IdParams, idOf } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { Timestamp } from '../../hub/http/schemas.ts';
import { findVhost } from '../../hub/model/vhost-changes.ts';
import { integer } from '../../shared/integer.ts';
import { DAYS, HOURS, shareOf } from './overview.ts';
import type { Uptime } from './uptime.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_DAYS = 30;

const Milliseconds = t.Union([integer(), t.Null()], {
  description: 'milliseconds of the right answers; null if there were none',
});

const Share = t.Union([t.Number({ minimum: 0, maximum: 1 }), t.Null()], {
  description: 'of right answers, from 0 to 1; null: it was not asked',
});

const VhostUptime = t.Object(
  {
    buckets: t.Array(
      t.Object({
        from: Timestamp,
        asked: integer(),
        failed: integer(),
        p50: Milliseconds,
        p95: Milliseconds,
      }),
      { description: 'the hours in which it was asked, oldest first; the last one is not over' },
    ),
    share: Share,
  },
  { title: 'VhostUptime' },
);
export type VhostUptime = Static<typeof VhostUptime>;

const barsOf = (description: string) =>
  t.Object({ share: Share, bars: t.Array(Share, { description }) });

const UptimeBars = t.Object(
  {
    id: integer(),
    day: barsOf(`each of the last ${HOURS} hours, oldest first`),
    month: barsOf(`each of the last ${DAYS} times 24 hours, oldest first`),
  },
  { title: 'UptimeBars' },
);

export function uptimeRoutes({ publisher, guard }: ApiCore, uptime: Uptime) {
  function one(id: number, days: number) {
    findVhost(publisher.current(), id);
    const hours = uptime.hours(id, days * 24);
    const sumOf = (field: 'asked' | 'failed') => hours.reduce((sum, one) => sum + one[field], 0);
    return {
      buckets: hours.map(({ hour, ...counts }) => ({
        from: new Date(hour * HOUR_MS).toISOString(),
        ...counts,
      })),
      share: shareOf({ asked: sumOf('asked'), failed: sumOf('failed') }),
    };
  }

  return new Elysia({ name: 'uptime', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/uptime',
      uptime.overview,
      route({
        id: 'listUptime',
        tag: 'Vhosts',
        summary: 'The share of right answers of all vhosts with a check, by hour and by day',
        access: 'read',
        returns: t.Array(UptimeBars),
        example: [
          {
            id: 1,
            day: { share: 1, bars: Array.from({ length: HOURS }, () => 1) },
            month: { share: 0.998, bars: Array.from({ length: DAYS }, () => 0.998) },
          },
        ],
      }),
    )
    .get(
      '/:id/uptime',
      ({ params, query }) => one(idOf(params), Number(query.days || DEFAULT_DAYS)),
      route({
        id: 'getVhostUptime',
        tag: 'Vhosts',
        summary: 'How a vhost answered its check between changes, by the hour',
        description:
          'Requests of the check at a change do not count. On several proxies, all of them have to answer right. An hour that is missing is not known: the vhost was not asked. Kept for 90 days, or until the vhost is deleted.',
        access: 'read',
        params: IdParams,
        query: t.Object({
          days: t.Optional(
            t.String({
              pattern: '^([1-9]|[1-8][0-9]|90)?$',
              description: 'How many days, 1 to 90; 30 by default.',
              example: '30',
            }),
          ),
        }),
        returns: VhostUptime,
        example: {
          buckets: [
            { from: '2026-11-20T17:00:00.000Z', asked: 60, failed: 0, p50: 12, p95: 31 },
            { from: '2026-11-20T18:00:00.000Z', asked: 7, failed: 1, p50: 11, p95: 24 },
          ],
          share: 0.985,
        },
      }),
    );
}
