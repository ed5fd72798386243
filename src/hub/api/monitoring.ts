/** What monitoring asks for: `/health`, for anyone, and `/summary`. */
import { Elysia } from 'elysia';
import { Health } from '../../shared/wire/protocol.ts';
import { about } from '../http/about.ts';
import { ANY, refusals } from '../http/refusal-schemas.ts';
import { route } from '../http/route.ts';
import { Summary } from '../watch/summary.ts';
import type { ApiContext } from './context.ts';

/**
 * Whether the hub responds and can use its database.
 * @param assertUsable throws a Failure if the database is known to be damaged
 */
export function healthRoutes(assertUsable: () => void) {
  return new Elysia({ name: 'health' }).get(
    '/health',
    () => {
      assertUsable();
      return { status: 'ok' as const };
    },
    {
      response: { 200: Health, ...refusals(...ANY, 'DATABASE_UNUSABLE') },
      detail: about({
        id: 'getHealth',
        tag: 'Status',
        summary: 'Check that the hub responds',
        access: 'anyone',
        example: { status: 'ok' },
      }),
    },
  );
}

/** How many things there are, and how many are wrong, for a tile. */
export function summaryRoutes({ guard, summary }: ApiContext) {
  return new Elysia({ name: 'summary' }).use(guard).get(
    '/summary',
    summary,
    route({
      id: 'getSummary',
      tag: 'Status',
      summary: 'Get six numbers of the status, for a tile that polls',
      description: 'They are of the last look at all sites, which is at most a few seconds ago.',
      access: 'read',
      returns: Summary,
      example: {
        sites: 23,
        sitesDown: 1,
        problems: 2,
        certificatesDue: 0,
        proxies: 2,
        proxiesDown: 0,
      },
    }),
  );
}
