/** The hub's HTTP side: errors first, then one controller per feature, each behind the guard. */
import { Elysia, t } from 'elysia';
import { errors, eventStream, lateBodies } from '../agent/http.ts';
import {
  ErrorBody,
  Health,
  LogPage,
  LogQuery,
  LogStats,
  StatsQuery,
  TailQuery,
} from '../agent/wire.ts';
import type { AgentClient } from './agent-client.ts';
import { sessionCookie } from './auth/cookie.ts';
import { createGuard } from './auth/guard.ts';
import { authRoutes } from './auth/routes.ts';
import type { Accounts } from './auth/service.ts';
import { latestChanges } from './changelog.ts';
import type { Db } from './db/open.ts';
import type { Log } from './log.ts';
import { HubStatus, readStatus } from './status.ts';
import type { Publisher } from './vhosts/publisher.ts';
import { vhostRoutes } from './vhosts/routes.ts';

export type HubDeps = {
  db: Db;
  accounts: Accounts;
  publisher: Publisher;
  agent: AgentClient;
  /** Believe the last hop of `X-Forwarded-For`, and `X-Forwarded-Proto`. */
  trustProxy: boolean;
  version: string;
  now: () => Date;
  log: Log;
};

/** A config of a thousand lines is about 40 KiB. */
export const HUB_BODY_LIMIT = 1024 * 1024;

const ChangelogEntry = t.Object({
  id: t.Integer(),
  userId: t.String(),
  userName: t.String(),
  action: t.UnionEnum(['create', 'update', 'delete', 'toggle']),
  domain: t.String(),
  diff: t.Union([t.String(), t.Null()]),
  createdAt: t.String(),
});

export function createHub(deps: HubDeps) {
  const { db, accounts, publisher, agent, trustProxy, version, now, log } = deps;
  const startedAt = now();
  const forwarded = (request: Request, header: string) =>
    trustProxy ? request.headers.get(header)?.split(',').at(-1)?.trim() : undefined;
  const cookies = sessionCookie(
    (request) =>
      (forwarded(request, 'x-forwarded-proto') ?? new URL(request.url).protocol) in
      { https: 1, 'https:': 1 },
  );
  const addressOf = (request: Request): string =>
    forwarded(request, 'x-forwarded-for') ??
    (hub.server?.requestIP(request)?.address ?? '').replace(/^::ffff:/, '');
  const guard = createGuard(accounts, cookies);

  const hub = new Elysia({ name: 'hub', prefix: '/api' })
    .use(
      errors({
        report: (error, request) => {
          log('request failed', { path: new URL(request.url).pathname, reason: String(error) });
        },
        invalid: (path) => (path.startsWith('/api/auth/') ? 'VALIDATION_ERROR' : 'INVALID_REQUEST'),
      }),
    )
    .use(lateBodies())
    .get('/health', () => ({ status: 'ok' as const }), { response: Health })
    .use(authRoutes({ accounts, cookies, addressOf, bodyLimit: HUB_BODY_LIMIT }))
    .use(vhostRoutes({ publisher, guard, bodyLimit: HUB_BODY_LIMIT }))
    .use(
      new Elysia({ name: 'logs' })
        .use(guard)
        .get('/logs', ({ query }) => agent.logs(query), {
          query: LogQuery,
          response: { 200: LogPage, 400: ErrorBody, 401: ErrorBody, 502: ErrorBody },
        })
        .get(
          '/logs/tail',
          async ({ query, request }) =>
            eventStream(await agent.tail(query, request.headers.get('last-event-id'))),
          { query: TailQuery },
        )
        .get('/logs/stats', ({ query }) => agent.stats(query), {
          query: StatsQuery,
          response: { 200: LogStats, 400: ErrorBody, 401: ErrorBody, 502: ErrorBody },
        }),
    )
    .use(
      new Elysia({ name: 'status' })
        .use(guard)
        .get('/status', () => readStatus({ agent, publisher, version, startedAt, now }), {
          response: { 200: HubStatus, 401: ErrorBody },
        }),
    )
    .use(
      new Elysia({ name: 'changelog' }).use(guard).get(
        '/changelog',
        () =>
          latestChanges(db).map((entry) => ({
            ...entry,
            createdAt: entry.createdAt.toISOString(),
          })),
        { response: { 200: t.Array(ChangelogEntry), 401: ErrorBody } },
      ),
    );
  return hub;
}
