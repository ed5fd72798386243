/** The hub's HTTP side: errors first, then one controller per feature, each behind the guard. */
import { Elysia, t } from 'elysia';
import { errors, lateBodies, patience } from '../agent/http.ts';
import { ErrorBody, Health, LogPage, LogQuery } from '../agent/wire.ts';
import type { AgentClient } from './agent-client.ts';
import { lastHop, plain } from './auth/address.ts';
import { sessionCookie } from './auth/cookie.ts';
import type { Directory } from './auth/directory.ts';
import { createGuard, createSessionGuard } from './auth/guard.ts';
import { assertOwnOrigin } from './auth/origin.ts';
import { authRoutes } from './auth/routes.ts';
import type { Accounts } from './auth/service.ts';
import { sessionRoutes } from './auth/session-routes.ts';
import { tokenRoutes } from './auth/token-routes.ts';
import type { Tokens } from './auth/tokens.ts';
import { userRoutes } from './auth/user-routes.ts';
import { latestChanges } from './changelog.ts';
import type { Db } from './db/open.ts';
import type { Log } from './log.ts';
import { securityHeaders } from './security-headers.ts';
import { HubStatus, readStatus } from './status.ts';
import type { Publisher } from './vhosts/publisher.ts';
import { vhostRoutes } from './vhosts/routes.ts';

export type HubDeps = {
  db: Db;
  accounts: Accounts;
  directory: Directory;
  tokens: Tokens;
  publisher: Publisher;
  agent: AgentClient;
  /** Believe the last hop of `X-Forwarded-For`, and `X-Forwarded-Proto`. */
  trustProxy: boolean;
  /** Whether the hub listens on loopback alone. */
  loopback: boolean;
  /** The hosts the hub is reached by; empty: any. */
  hosts: readonly string[];
  /** What an operator should know, for the status. */
  warnings: readonly string[];
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
  via: t.Union([t.String(), t.Null()], { description: 'the API token it was made with' }),
});

export function createHub(deps: HubDeps) {
  const {
    db,
    accounts,
    directory,
    tokens,
    publisher,
    agent,
    trustProxy,
    loopback,
    hosts,
    warnings,
    version,
    now,
    log,
  } = deps;
  const startedAt = now();
  const isHttps = (request: Request): boolean => {
    const told = trustProxy ? request.headers.get('x-forwarded-proto') : null;
    return /^https:?$/i.test(told?.split(',').at(-1)?.trim() ?? new URL(request.url).protocol);
  };
  const cookies = sessionCookie(isHttps);
  const addressOf = (request: Request): string =>
    (trustProxy ? lastHop(request.headers.get('x-forwarded-for')) : null) ??
    plain(hub.server?.requestIP(request)?.address ?? '');
  const guard = createGuard({ accounts, tokens, cookies });
  const sessionGuard = createSessionGuard({ accounts, tokens, cookies });
  const bodyLimit = HUB_BODY_LIMIT;

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
    .use(patience())
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, securityHeaders(new URL(request.url).pathname));
      assertOwnOrigin(request, isHttps(request), { hosts });
    })
    .get('/health', () => ({ status: 'ok' as const }), { response: Health })
    .use(authRoutes({ accounts, cookies, addressOf, loopback, bodyLimit }))
    .use(sessionRoutes({ accounts, guard: sessionGuard, cookies, addressOf, bodyLimit }))
    .use(userRoutes({ accounts, directory, guard: sessionGuard, bodyLimit }))
    .use(tokenRoutes({ tokens, guard: sessionGuard, bodyLimit }))
    .use(vhostRoutes({ publisher, guard, bodyLimit }))
    .use(
      new Elysia({ name: 'logs' }).use(guard).get('/logs', ({ query }) => agent.logs(query), {
        query: LogQuery,
        response: { 200: LogPage, 400: ErrorBody, 401: ErrorBody, 502: ErrorBody },
      }),
    )
    .use(
      new Elysia({ name: 'status' })
        .use(guard)
        .get('/status', () => readStatus({ agent, publisher, warnings, version, startedAt, now }), {
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
