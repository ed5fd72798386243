/** What monitoring asks for: `/health`, for anyone, `/summary` and `/metrics`. */
import { Elysia, t } from 'elysia';
import { metricsRoutes } from '../../shared/observe/metrics.ts';
import { Health } from '../../shared/wire/protocol.ts';
import { bearerOf } from '../auth/secret.ts';
import { about } from '../http/about.ts';
import { ANY, READS, refusals } from '../http/refusal-schemas.ts';
import { Summary } from '../watch/summary.ts';
import type { ApiContext, HubContext } from './context.ts';

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
  return new Elysia({ name: 'summary' }).use(guard).get('/summary', summary, {
    response: { 200: Summary, ...refusals(...READS) },
    detail: about({
      id: 'getSummary',
      tag: 'Status',
      summary: 'Get six numbers of the status, for a tile that polls',
      description: 'They are of the last look at all sites, which is at most a few seconds ago.',
      access: 'read',
      needs: 'viewer',
      example: {
        ...{ sites: 23, sitesDown: 1, problems: 2, certificatesDue: 0 },
        ...{ proxies: 2, proxiesDown: 0 },
      },
    }),
  });
}

/** @param peerOf the address at the other end of a request's socket */
export function hubMetricsRoutes(
  { metrics, accounts, tokens }: HubContext,
  peerOf: (request: Request) => string,
) {
  return metricsRoutes({
    metrics,
    peerOf,
    // A cookie is not accepted, because a browser sends it unasked.
    hasToken({ headers }) {
      const bearer = bearerOf(headers);
      return (accounts.find(bearer) ?? tokens.find(bearer)) !== null;
    },
    docs: {
      response: { 200: t.String(), ...refusals(...READS) },
      detail: about({
        id: 'getMetrics',
        tag: 'Status',
        summary: 'Get metrics for Prometheus',
        description: 'At the root, not under `/api`. Cookies are not accepted.',
        access: 'local',
        mediaType: 'text/plain',
        example: 'signalbox_proxy_up 1\n',
      }),
    },
  });
}
