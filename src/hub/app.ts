/** The hub's HTTP interface: one controller per feature, each behind a guard. */
import { Elysia } from 'elysia';
import { composed, errors, pathOf, requestTimeout, SHORT_HOSTS } from '../shared/http.ts';
import { lateBodies } from '../shared/json-body.ts';
import { reportTo } from '../shared/log.ts';
import { isLoopback } from '../shared/loopback.ts';
import { observeRequests, type Routes } from '../shared/observe/requests.ts';
import { agentRoutes } from './api/agents.ts';
import { vhostBulkRoutes } from './api/bulk.ts';
import { certificateRoutes } from './api/certificates.ts';
import { changelogRoutes } from './api/changelog.ts';
import type { ApiContext, HubContext } from './api/context.ts';
import { exchangeRoutes } from './api/exchange.ts';
import { createWithWarnings, startReplayOf } from './api/features.ts';
import { incidentRoutes } from './api/incidents.ts';
import { healthRoutes, summaryRoutes } from './api/monitoring.ts';
import { policyRoutes } from './api/policies.ts';
import { portsRoutes } from './api/ports.ts';
import { preambleRoutes } from './api/preamble.ts';
import { previewRoutes } from './api/preview.ts';
import { problemRoutes } from './api/problems.ts';
import { recipeRoutes } from './api/recipes.ts';
import { statusRoutes } from './api/status.ts';
import { vhostActivityRoutes, vhostStateRoutes } from './api/vhost-states.ts';
import { vhostStripRoutes } from './api/vhost-strips.ts';
import { vhostRoutes } from './api/vhosts.ts';
import { createSeldom } from './auth/accounts/attempt-limits.ts';
import type { LinkedOf } from './auth/beside-passwords.ts';
import {
  assertOwnOrigin,
  createForwarded,
  createLocalCheck,
  createTrustedCheck,
  type Origins,
} from './auth/client.ts';
import { createGuard, createSessionGuard } from './auth/guard.ts';
import { invitationRoutes } from './auth/routes/invitation-routes.ts';
import { listAccountsRoutes } from './auth/routes/list-accounts-routes.ts';
import { proveRoutes } from './auth/routes/prove-routes.ts';
import { securityRoutes } from './auth/routes/security-routes.ts';
import { sessionRoutes } from './auth/routes/session-routes.ts';
import { signInRoutes } from './auth/routes/sign-in-routes.ts';
import { tokenRoutes } from './auth/routes/token-routes.ts';
import { userRoutes } from './auth/routes/user-routes.ts';
import { createSessionCookies } from './auth/sessions/cookie.ts';
import type { ApiCore } from './core.ts';
import { type Dashboard, dashboardRoutes } from './dashboard/routes.ts';
import { databaseBusy, databaseUnusable, isBusy, isDamage } from './db/fault.ts';
import { demandsOf, type RegisteredRoute } from './http/about.ts';
import { READING } from './http/open-writes.ts';
import { compressJson, securityHeaders } from './http/responses.ts';
import { logRoutes } from './logs/routes.ts';
import { createActivity, createAgentsActivity } from './watch/activity.ts';
import { createStrips } from './watch/strips.ts';

/** For strangers, who send no more than a name, an email address and a password. */
const SIGN_IN_BODY_LIMIT = 16 * 1024;

/** Bytes; a config of a thousand lines is about 40 KiB. */
const HUB_BODY_LIMIT = 1024 * 1024;

export function createHub(context: HubContext, dashboard: () => Promise<Dashboard>) {
  const { accounts, tokens, commandLine, publisher, fleet, observe, parts, log } = context;
  const { trustProxy, hosts, host, origins } = context.settings;
  const isLocal = createLocalCheck({ trustProxy, hosts, loopback: isLoopback(host) });
  const peerOf = (request: Request): string => hub.server?.requestIP(request)?.address ?? '';
  const { isHttps, addressOf } = createForwarded(trustProxy, peerOf);
  const originOf = (request: Request) =>
    origins[0] ?? `${isHttps(request) ? 'https' : 'http'}://${request.headers.get('host')}`;
  const cookies = createSessionCookies(isHttps);
  let declared: ReturnType<typeof demandsOf> | undefined;
  const demands = () => (declared ??= demandsOf(routesOf()));
  const { db, now, elapsed } = context;
  const isFirst = createSeldom(elapsed);
  const guards = {
    accounts,
    tokens,
    cookies,
    commandLine,
    demands,
    addressOf,
    db,
    now,
    isFirst,
  };
  const guard = createGuard(guards);
  const sessionGuard = createSessionGuard(guards);
  const bodyLimit = HUB_BODY_LIMIT;
  const startReplay = startReplayOf(parts);
  const all: ApiContext = { ...context, guard, bodyLimit, startReplay };
  const forPeople = { ...all, guard: sessionGuard, cookies, isLocal, addressOf, originOf };
  const port = () => hub.server?.port ?? context.settings.port;
  const { retries, openWrites, restart, openIncidents, lastProblems } = context;
  const api: ApiCore = {
    ...context.core,
    guard,
    sessionGuard,
    cookies,
    addressOf,
    originOf,
    bodyLimit,
    strangersBodyLimit: SIGN_IN_BODY_LIMIT,
    isTrusted: createTrustedCheck(peerOf, accounts, tokens),
    origins: () => (isNamed(origins) ? origins : [`http://localhost:${port()}`]),
    retries,
    openWrites,
    restart,
    withWarnings: createWithWarnings(context.warningsAfter),
    startReplay,
    openIncidents,
    lastProblems,
    collectors: parts.flatMap(({ collect }) => collect ?? []),
    routes: () => routesOf(),
  };
  const proofs = parts.flatMap((part) => part.proofs?.(api) ?? []);
  const linked: LinkedOf = (userId) => parts.flatMap((part) => part.linked?.(userId) ?? []);

  const pageData = Object.fromEntries(parts.flatMap(({ page = {} }) => Object.entries(page)));

  let isUsable = true;
  /** Damage may be found long after the start. */
  function failureOf(error: unknown) {
    if (isBusy(error)) return databaseBusy(context.databaseFile);
    if (!isDamage(error)) return null;
    isUsable = false;
    return databaseUnusable();
  }
  function assertUsable(): void {
    if (!isUsable) throw databaseUnusable();
  }

  const routes = new Elysia({ name: 'api', prefix: '/api' })
    .use(healthRoutes(assertUsable))
    .use(signInRoutes({ ...forPeople, bodyLimit: SIGN_IN_BODY_LIMIT }))
    .use(sessionRoutes(forPeople))
    .use(proveRoutes({ ...forPeople, proofs }))
    .use(listAccountsRoutes({ ...forPeople, linked }))
    .use(userRoutes(forPeople))
    .use(invitationRoutes(forPeople))
    .use(tokenRoutes(forPeople))
    .use(securityRoutes(all))
    .use(vhostStateRoutes(all))
    .use(vhostActivityRoutes({ guard, activity: activityOf(context) }))
    .use(vhostStripRoutes({ guard, strips: stripsOf(context) }))
    .use(certificateRoutes(all))
    .use(vhostRoutes(all))
    .use(vhostBulkRoutes(all))
    .use(policyRoutes(all))
    .use(recipeRoutes(all))
    .use(agentRoutes(all))
    .use(logRoutes({ agents: publisher.agents, guard }))
    .use(statusRoutes({ ...all, agents: fleet.list, startedAt: context.elapsed() }))
    .use(summaryRoutes(all))
    .use(portsRoutes(all))
    .use(problemRoutes(all))
    .use(incidentRoutes(all))
    .use(changelogRoutes(all))
    .use(preambleRoutes(all))
    .use(exchangeRoutes(all))
    .use(
      composed(
        'features',
        parts.flatMap((part) => part.routes?.(api) ?? []),
      ),
    )
    .use(previewRoutes(all));

  const hub = new Elysia({ name: 'hub', handler: SHORT_HOSTS })
    .wrap(compressJson())
    .wrap(context.openWrites.wrap())
    .wrap(
      observeRequests({
        routes: (): Routes => hub.routes,
        log,
        seen: observe.request,
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
      if (!READING.includes(request.method)) context.assertInPlace();
    })
    .use(
      composed(
        'open',
        parts.flatMap(({ openRoutes }) => openRoutes?.(api) ?? []),
      ),
    )
    .use(routes)
    .use(dashboardRoutes(dashboard, (request) => accounts.door(isLocal(request)), pageData));
  const routesOf = (): readonly RegisteredRoute[] => hub.routes as unknown as RegisteredRoute[];
  return hub;
}

const isNamed = (origins: readonly string[]): origins is Origins => origins.length > 0;

const activityOf = ({ publisher, pace, now }: HubContext) =>
  createActivity(publisher, createAgentsActivity(publisher.agents), pace.activity, now);

const stripsOf = ({ publisher, checks, db, pace, now }: HubContext) =>
  createStrips({
    publisher,
    checks,
    db,
    now,
    activity: createAgentsActivity(publisher.agents),
    kept: pace.strips,
  });
