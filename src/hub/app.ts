/** The hub's HTTP interface: one controller per feature, each behind a guard. */
import { Elysia } from 'elysia';
import { errors, lateBodies, pathOf, requestTimeout, SHORT_HOSTS } from '../shared/http.ts';
import { type Log, reportTo } from '../shared/log.ts';
import { observeRequests, type Routes } from '../shared/observe/requests.ts';
import { createReadProxies } from './agents/proxy.ts';
import { agentRoutes } from './api/agents.ts';
import { vhostBulkRoutes } from './api/bulk.ts';
import { certificateRoutes } from './api/certificates.ts';
import { changelogRoutes } from './api/changelog.ts';
import { channelRoutes } from './api/channels.ts';
import { deliveryRoutes } from './api/deliveries.ts';
import { exchangeRoutes } from './api/exchange.ts';
import type { Fleet } from './api/fleet.ts';
import { healthRoutes } from './api/health.ts';
import { incidentRoutes } from './api/incidents.ts';
import { hubMetricsRoutes } from './api/metrics.ts';
import { policyRoutes } from './api/policies.ts';
import { portsRoutes } from './api/ports.ts';
import { preambleRoutes } from './api/preamble.ts';
import { previewRoutes } from './api/preview.ts';
import { recipeRoutes } from './api/recipes.ts';
import { statusRoutes } from './api/status.ts';
import { vhostActivityRoutes } from './api/vhost-activity.ts';
import { vhostStateRoutes } from './api/vhost-states.ts';
import { vhostRoutes } from './api/vhosts.ts';
import type { Accounts } from './auth/accounts/accounts.ts';
import type { Directory } from './auth/accounts/directory.ts';
import type { CommandLine } from './auth/command-line.ts';
import { createForwarded } from './auth/forwarded.ts';
import { createGuard, createSessionGuard } from './auth/guard.ts';
import { createLocalCheck } from './auth/local.ts';
import { assertOwnOrigin } from './auth/origin.ts';
import { sessionRoutes } from './auth/routes/session-routes.ts';
import { signInRoutes } from './auth/routes/sign-in-routes.ts';
import { tokenRoutes } from './auth/routes/token-routes.ts';
import { userRoutes } from './auth/routes/user-routes.ts';
import { createSessionCookies } from './auth/sessions/cookie.ts';
import type { Tokens } from './auth/tokens/tokens.ts';
import type { Deliver } from './channels/message.ts';
import { type Dashboard, dashboardRoutes } from './dashboard/routes.ts';
import { databaseUnusable, isDamage } from './db/fault.ts';
import type { Db } from './db/open.ts';
import type { Importer } from './exchange/importer.ts';
import { compressJson } from './http/compress.ts';
import { securityHeaders } from './http/security-headers.ts';
import { logRoutes } from './logs/routes.ts';
import { createChangelog } from './model/changelog.ts';
import type { RegisteredRoute } from './openapi/document.ts';
import { openapiRoutes } from './openapi/routes.ts';
import type { Pace } from './pace.ts';
import type { Publisher } from './publish/publisher.ts';
import { createActivity } from './watch/activity.ts';
import { createAgentsActivity } from './watch/agents-activity.ts';
import type { Look } from './watch/look.ts';
import type { HubMetrics } from './watch/metrics.ts';
import { createWarningsAfter } from './watch/sites/warnings.ts';

export type HubDeps = {
  db: Db;
  accounts: Accounts;
  directory: Directory;
  tokens: Tokens;
  commandLine: CommandLine;
  dashboard: () => Promise<Dashboard>;
  publisher: Publisher;
  importer: Importer;
  preambleUpdatedAt: () => Date;
  /** @throws Failure if what is written to the database would be lost */
  assertInPlace: () => void;
  fleet: Fleet;
  deliver: Deliver;
  /** Believe the last hop of `X-Forwarded-For`, and `X-Forwarded-Proto`. */
  trustProxy: boolean;
  /** Whether the hub listens on loopback only. */
  loopback: boolean;
  /** The hosts that the hub answers to; empty: any. */
  hosts: readonly string[];
  /** What the operator should know of the hub, for the status. */
  warnings: readonly string[];
  version: string;
  commit: string | null;
  now: () => Date;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  /** One look at what may be wrong; it is shared with the watcher. */
  look: () => Promise<Look>;
  metrics: Pick<HubMetrics, 'text' | 'contentType' | 'request'>;
  pace: Pick<Pace, 'activity'>;
  log: Log;
};

/** For strangers, who send no more than a name, an email address and a password. */
const SIGN_IN_BODY_LIMIT = 16 * 1024;

/** Bytes; a config of a thousand lines is about 40 KiB. */
const HUB_BODY_LIMIT = 1024 * 1024;

/** For import and restore; a file of 25,000 sites is about 1.6 MB. */
const WHOLE_BODY_LIMIT = 16 * 1024 * 1024;

/** The methods of requests that change nothing. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

export function createHub(deps: HubDeps) {
  const { accounts, directory, tokens, publisher, fleet, metrics, log, now } = deps;
  const { commandLine, version, hosts } = deps;
  const isLocal = createLocalCheck(deps);
  const peerOf = (request: Request): string => hub.server?.requestIP(request)?.address ?? '';
  const { isHttps, addressOf } = createForwarded({ trustProxy: deps.trustProxy, peerOf });
  const cookies = createSessionCookies(isHttps);
  const guard = createGuard({ accounts, tokens, cookies, commandLine });
  const sessionGuard = createSessionGuard({ accounts, tokens, cookies, commandLine });
  const bodyLimit = HUB_BODY_LIMIT;
  const { agents } = publisher;
  const activity = createActivity({
    ...{ publisher, agent: createAgentsActivity(agents), kept: deps.pace.activity, now },
  });
  const warningsAfter = createWarningsAfter({ publisher, now });

  let isUsable = true;
  /** Damage may be found long after the start. */
  function failureOf(error: unknown) {
    if (!isDamage(error)) return null;
    isUsable = false;
    return databaseUnusable();
  }
  function assertUsable(): void {
    if (!isUsable) throw databaseUnusable();
  }

  const api = new Elysia({ name: 'api', prefix: '/api' })
    .use(healthRoutes(assertUsable))
    .use(signInRoutes({ accounts, cookies, addressOf, isLocal, bodyLimit: SIGN_IN_BODY_LIMIT }))
    .use(sessionRoutes({ accounts, guard: sessionGuard, cookies, addressOf, bodyLimit }))
    .use(userRoutes({ accounts, directory, guard: sessionGuard, bodyLimit }))
    .use(tokenRoutes({ tokens, guard: sessionGuard, bodyLimit }))
    .use(vhostStateRoutes({ publisher, guard, now }))
    .use(vhostActivityRoutes({ activity, guard }))
    .use(certificateRoutes({ publisher, guard, now, bodyLimit }))
    .use(vhostRoutes({ publisher, warningsAfter, guard, bodyLimit }))
    .use(vhostBulkRoutes({ publisher, warningsAfter, guard, bodyLimit }))
    .use(policyRoutes({ publisher, guard, bodyLimit }))
    .use(recipeRoutes({ readProxy: createReadProxies({ publisher }), guard, bodyLimit }))
    .use(agentRoutes({ fleet, guard, bodyLimit }))
    .use(logRoutes({ agents, guard }))
    .use(statusRoutes({ ...deps, agents: fleet.list, startedAt: deps.elapsed(), guard }))
    .use(portsRoutes({ publisher, guard }))
    .use(incidentRoutes({ db: deps.db, guard }))
    .use(channelRoutes({ ...deps, guard: sessionGuard, bodyLimit }))
    .use(deliveryRoutes({ ...deps, guard: sessionGuard }))
    .use(changelogRoutes({ changelog: createChangelog(deps.db), publisher, guard }))
    .use(preambleRoutes({ ...deps, guard, bodyLimit }))
    .use(previewRoutes({ publisher, guard, bodyLimit }))
    .use(exchangeRoutes({ ...deps, guard, bodyLimit: WHOLE_BODY_LIMIT }))
    .use(openapiRoutes({ guard, version, routes: () => routesOf() }));

  const hub = new Elysia({ name: 'hub', handler: SHORT_HOSTS })
    .wrap(compressJson())
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
        known: failureOf,
        invalid: (path) => (path.startsWith('/api/auth/') ? 'VALIDATION_ERROR' : 'INVALID_REQUEST'),
      }),
    )
    .use(lateBodies())
    .use(requestTimeout())
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, securityHeaders(pathOf(request)));
      // No page reaches the socket, and its host name means nothing.
      if (commandLine.isFrom(request)) commandLine.assertAllowed(request);
      else assertOwnOrigin(request, isHttps(request), { hosts });
      if (!READING.includes(request.method)) deps.assertInPlace();
    })
    .use(hubMetricsRoutes({ metrics, accounts, tokens, peerOf }))
    .use(api)
    .use(
      dashboardRoutes({
        read: deps.dashboard,
        doorFor: (request) => accounts.door(isLocal(request)),
      }),
    );
  const routesOf = (): readonly RegisteredRoute[] => hub.routes as unknown as RegisteredRoute[];
  return hub;
}
