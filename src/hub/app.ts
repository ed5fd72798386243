/** The hub's HTTP side: errors first, then one controller per feature, each behind the guard. */
import { Elysia, t } from 'elysia';
import { errors, lateBodies, pathOf, patience, SHORT_HOSTS } from '../shared/http.ts';
import type { Log } from '../shared/log.ts';
import { isAskedHere, plain } from '../shared/loopback.ts';
import { reportTo } from '../shared/observe/log.ts';
import { metricsRoutes } from '../shared/observe/metrics-routes.ts';
import { observeRequests, type Routes } from '../shared/observe/requests.ts';
import { Health } from '../shared/wire.ts';
import type { AgentClient } from './agent-client/client.ts';
import { lastHop } from './auth/address.ts';
import { bearerOf } from './auth/bearer.ts';
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
import { changelogRoutes } from './changelog/routes.ts';
import { createChangelog } from './changelog/service.ts';
import { type Dashboard, dashboardRoutes } from './dashboard/routes.ts';
import type { Db } from './db/open.ts';
import type { Importer } from './exchange/importer.ts';
import { exchangeRoutes } from './exchange/routes.ts';
import { ANY, READS, refusals } from './http/refusal-schemas.ts';
import { securityHeaders } from './http/security-headers.ts';
import { logRoutes } from './logs/routes.ts';
import type { HubMetrics } from './metrics.ts';
import type { RegisteredRoute } from './openapi/document.ts';
import { openapiRoutes } from './openapi/routes.ts';
import * as operations from './operations.ts';
import type { Publisher } from './publish/publisher.ts';
import { createActivity } from './state/activity.ts';
import { vhostActivityRoutes } from './state/activity-routes.ts';
import { status } from './state/operations.ts';
import { HubStatus, readStatus } from './state/status.ts';
import { vhostStateRoutes } from './state/vhost-state-routes.ts';
import { vhostRoutes } from './vhosts/routes.ts';

export type HubDeps = {
  db: Db;
  accounts: Accounts;
  directory: Directory;
  tokens: Tokens;
  dashboard: () => Promise<Dashboard>;
  publisher: Publisher;
  importer: Importer;
  /** When the preamble was last changed. */
  preambleUpdatedAt: () => Date;
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
  commit: string | null;
  now: () => Date;
  metrics: Pick<HubMetrics, 'text' | 'contentType' | 'request'>;
  log: Log;
};

/** A config of a thousand lines is about 40 KiB. */
export const HUB_BODY_LIMIT = 1024 * 1024;

/** A file of 25,000 sites is about 1.6 MB. */
export const WHOLE_BODY_LIMIT = 16 * 1024 * 1024;

export function createHub(deps: HubDeps) {
  const {
    db,
    accounts,
    directory,
    tokens,
    dashboard,
    publisher,
    importer,
    preambleUpdatedAt,
    agent,
    trustProxy,
    loopback,
    hosts,
    warnings,
    version,
    commit,
    now,
    metrics,
    log,
  } = deps;
  const startedAt = now();
  const isHttps = (request: Request): boolean => {
    const told = trustProxy ? request.headers.get('x-forwarded-proto') : null;
    return /^https:?$/i.test(
      told?.split(',').at(-1)?.trim() ?? URL.parse(request.url)?.protocol ?? '',
    );
  };
  const cookies = sessionCookie(isHttps);
  const peerOf = (request: Request): string => hub.server?.requestIP(request)?.address ?? '';
  const addressOf = (request: Request): string =>
    (trustProxy ? lastHop(request.headers.get('x-forwarded-for')) : null) ?? plain(peerOf(request));
  const guard = createGuard({ accounts, tokens, cookies });
  const sessionGuard = createSessionGuard({ accounts, tokens, cookies });
  const bodyLimit = HUB_BODY_LIMIT;

  const api = new Elysia({ name: 'api', prefix: '/api' })
    .get('/health', () => ({ status: 'ok' as const }), {
      response: { 200: Health, ...refusals(...ANY) },
      detail: operations.health,
    })
    .use(authRoutes({ accounts, cookies, addressOf, loopback, bodyLimit }))
    .use(sessionRoutes({ accounts, guard: sessionGuard, cookies, addressOf, bodyLimit }))
    .use(userRoutes({ accounts, directory, guard: sessionGuard, bodyLimit }))
    .use(tokenRoutes({ tokens, guard: sessionGuard, bodyLimit }))
    .use(vhostStateRoutes({ publisher, agent, guard, now }))
    .use(vhostActivityRoutes({ activity: createActivity({ publisher, agent, now }), guard }))
    .use(vhostRoutes({ publisher, guard, bodyLimit }))
    .use(logRoutes({ agent, guard }))
    .use(
      new Elysia({ name: 'status' })
        .use(guard)
        .get(
          '/status',
          () => readStatus({ agent, publisher, warnings, version, commit, startedAt, now }),
          {
            response: { 200: HubStatus, ...refusals(...READS) },
            detail: status,
          },
        ),
    )
    .use(changelogRoutes({ changelog: createChangelog(db), publisher, guard }))
    .use(
      exchangeRoutes({
        publisher,
        importer,
        preambleUpdatedAt,
        guard,
        bodyLimit,
        wholeLimit: WHOLE_BODY_LIMIT,
      }),
    )
    .use(openapiRoutes({ guard, version, routes: () => routesOf() }));

  // A permanent token is enough; a cookie is not, since a browser sends it unasked.
  const hasToken = ({ headers }: Request): boolean => {
    const bearer = bearerOf(headers);
    return (accounts.find(bearer) ?? tokens.find(bearer)) !== null;
  };
  const doorFor = (request: Request) => accounts.door(loopback && isAskedHere(request.headers));
  const hub = new Elysia({ name: 'hub', handler: SHORT_HOSTS })
    .wrap(
      observeRequests({
        routes: (): Routes => hub.routes,
        log,
        seen: metrics.request,
        several: false,
      }),
    )
    .use(
      errors({
        report: reportTo(log),
        invalid: (path) => (path.startsWith('/api/auth/') ? 'VALIDATION_ERROR' : 'INVALID_REQUEST'),
      }),
    )
    .use(lateBodies())
    .use(patience())
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, securityHeaders(pathOf(request)));
      assertOwnOrigin(request, isHttps(request), { hosts });
    })
    .use(
      metricsRoutes({
        metrics,
        hasToken,
        peerOf,
        docs: {
          response: { 200: t.String(), ...refusals(...READS) },
          detail: operations.metrics,
        },
      }),
    )
    .use(api)
    .use(dashboardRoutes({ read: dashboard, doorFor }));
  const routesOf = (): readonly RegisteredRoute[] => hub.routes as unknown as RegisteredRoute[];
  return hub;
}
