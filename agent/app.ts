/** The agent's HTTP API: every route but health and metrics needs the agent's token. */
import { Elysia } from 'elysia';
import { bearerOf, type KnownToken, tokenHash } from '../src/shared/bearer.ts';
import { FAILURES, Failure } from '../src/shared/failure.ts';
import { composed, errors, requestTimeout, SHORT_HOSTS, TLS_HOSTS } from '../src/shared/http.ts';
import { jsonBody, lateBodies } from '../src/shared/json-body.ts';
import { type Log, reportTo } from '../src/shared/log.ts';
import { isFromHere } from '../src/shared/loopback.ts';
import { observeRequests, type RequestSeen, type Routes } from '../src/shared/observe/requests.ts';
import { AgentErrorBody, Health, PROTOCOL, PROTOCOL_HEADER } from '../src/shared/wire/protocol.ts';
import {
  AdaptAnswer,
  AdaptRequest,
  type Disk,
  PortsAnswer,
  ProxyStatus,
  ReloadAnswer,
  ReloadRequest,
  StatusQuery,
  ValidateAnswer,
  ValidateRequest,
} from '../src/shared/wire/proxy.ts';
import { ModulesAnswer } from '../src/shared/wire/sites.ts';
import type { ProxyControl } from './caddy/proxy.ts';
import type { AgentPart } from './core.ts';
import { type Enrolment, enrolRoute, tokenRoutes } from './enrolment/enrolment.ts';
import type { Logs } from './logs/logs.ts';
import { logRoutes } from './logs/routes.ts';
import { type SiteRoutesDeps, siteRoutes } from './sites/routes.ts';

type AgentDeps = SiteRoutesDeps & {
  isKnown: KnownToken;
  /** Null with a token from the settings, which no request can change. */
  enrolment?: Enrolment | null;
  proxy: ProxyControl;
  /** Those that agent and proxy write to. */
  disks: () => Promise<Disk[]>;
  logs: Logs;
  /** As in `AgentCore`. */
  beforeReload: ReadonlySet<() => void>;
  /** What features bring. */
  parts: readonly AgentPart[];
  /** Whether the agent serves HTTPS. */
  tls?: boolean;
  log: Log;
};

/** A Caddyfile of 25,000 sites is about 1.6 MB. */
export const AGENT_BODY_LIMIT = 16 * 1024 * 1024;

const refusals = { 400: AgentErrorBody, 502: AgentErrorBody };

/** The agent as an Elysia app. Errors are answered by `errors` of shared/http. */
export function createAgent(deps: AgentDeps) {
  const { enrolment, proxy, state, disks, logs, beforeReload, parts, tls = false, log } = deps;
  const observe = createObserver(parts);
  const isAllowed = ({ headers }: Request) => deps.isKnown(tokenHash(bearerOf(headers) ?? ''));
  const peerOf = (request: Request): string => agent.server?.requestIP(request)?.address ?? '';
  const given = {
    isTrusted: (request: Request) => isFromHere(request, peerOf(request)) || isAllowed(request),
    collectors: parts.flatMap(({ collect }) => collect ?? []),
  };
  const handler = tls ? TLS_HOSTS : SHORT_HOSTS;
  // Strict: `/health/` is not `/health`, the only address open to everyone.
  const agent = new Elysia({ name: 'agent', handler, strictPath: true })
    .wrap(
      observeRequests({
        routes: (): Routes => agent.routes,
        log,
        seen: observe.request,
        several: true,
        quiet: ['/proxy/round'],
      }),
    )
    .use(errors({ report: reportTo(log), words: true }))
    .use(lateBodies())
    .use(requestTimeout())
    .onRequest(({ set }) => {
      set.headers['Cache-Control'] = 'no-store';
      set.headers['X-Content-Type-Options'] = 'nosniff';
    })
    .get('/health', () => ({ status: 'ok' as const }), { response: Health })
    .use(
      composed(
        'open',
        parts.flatMap(({ openRoutes }) => openRoutes?.(given) ?? []),
      ),
    )
    .use(enrolment ? enrolRoute(enrolment, proxy, log) : new Elysia())
    // Nothing below this line answers a request without the token.
    .use(bearerGuard(isAllowed))
    .use(protocolGuard())
    .all('/*', () => {
      throw new Failure('NOT_FOUND', 'Not found.');
    })
    .use(
      composed(
        'features',
        parts.flatMap(({ routes }) => routes ?? []),
      ),
    )
    .use(jsonBody(AGENT_BODY_LIMIT))
    .use(enrolment ? tokenRoutes(enrolment, log) : new Elysia())
    .post(
      '/proxy/reload',
      async ({ body, request: { signal } }) => {
        const { proxyfile, deadline = Number.POSITIVE_INFINITY, ...options } = body;
        const from = performance.now();
        const isWanted = () => !signal.aborted && performance.now() - from < deadline;
        for (const hear of beforeReload) hear();
        const { open, closed, unwritable, ...live } = await observe.timed(
          proxy.reload(proxyfile, { ...options, isWanted }),
        );
        state.look();
        return {
          success: true as const,
          ...live,
          ...(open.length > 0 && { open }),
          ...(closed.length > 0 && { closed }),
          ...(unwritable.length > 0 && { unwritable }),
        };
      },
      {
        body: ReloadRequest,
        response: { 200: ReloadAnswer, ...refusals, 409: AgentErrorBody },
      },
    )
    .post(
      '/proxy/validate',
      async ({ body }) => {
        const { proxyfile, ...options } = body;
        await proxy.validate(proxyfile, options);
        return { success: true as const };
      },
      {
        body: ValidateRequest,
        response: { 200: ValidateAnswer, ...refusals },
      },
    )
    .post('/proxy/adapt', async ({ body }) => ({ config: await proxy.adapt(body.proxyfile) }), {
      body: AdaptRequest,
      response: { 200: AdaptAnswer, ...refusals },
    })
    .get(
      '/proxy/status',
      async ({ query: { hub, term } }) => {
        // First, because the status says what time it is.
        const found = hub === undefined ? {} : { disks: await disks() };
        return { ...(await proxy.status(hub, term)), ...found };
      },
      { query: StatusQuery, response: { 200: ProxyStatus, 400: AgentErrorBody } },
    )
    .get('/proxy/ports', async () => ({ ports: await proxy.ports() }), {
      response: { 200: PortsAnswer },
    })
    .get('/proxy/modules', async () => ({ modules: await proxy.modules() }), {
      response: { 200: ModulesAnswer },
    })
    .use(siteRoutes(deps))
    .use(
      logRoutes(
        logs,
        state.explain,
        parts.flatMap(({ causeOf }) => causeOf ?? []),
      ),
    );
  return agent;
}

/** Tells the parts of features what the agent was asked for. */
function createObserver(parts: readonly AgentPart[]) {
  const all = parts.flatMap(({ observe }) => observe ?? []);
  return {
    request(seen: RequestSeen): void {
      for (const { request } of all) request(seen);
    },

    /** Tells how long a reload took. @throws what it throws */
    async timed<T>(reload: Promise<T>): Promise<T> {
      const from = performance.now();
      const tell = (more: { error?: unknown }) => {
        const milliseconds = performance.now() - from;
        for (const one of all) one.reload({ milliseconds, ...more });
      };
      try {
        const live = await reload;
        tell({});
        return live;
      } catch (error) {
        tell({ error });
        throw error;
      }
    },
  };
}

/**
 * Guards all routes that are mounted after it, and every address without a route. It runs once a
 * route has been found and before its body is read: a guard that looked at the address by itself
 * could read it differently from the router.
 * @throws Failure, per request: UNAUTHENTICATED
 */
function bearerGuard(isAllowed: (request: Request) => boolean) {
  return new Elysia({ name: 'bearer-guard' }).onTransform({ as: 'scoped' }, ({ request, set }) => {
    if (isAllowed(request)) return;
    set.headers['WWW-Authenticate'] = 'Bearer';
    throw new Failure('UNAUTHENTICATED', 'A valid agent token is required.');
  });
}

/**
 * Refuses a request that needs another protocol. Clients that are no hub need not name one.
 * @throws Failure, per request: OTHER_PROTOCOL
 */
function protocolGuard() {
  return new Elysia({ name: 'protocol-guard' }).onTransform({ as: 'scoped' }, ({ request }) => {
    const said = request.headers.get(PROTOCOL_HEADER);
    if (said === null || (/^[1-9]\d*$/.test(said) && Number(said) <= PROTOCOL)) return;
    throw new Failure('OTHER_PROTOCOL', FAILURES.OTHER_PROTOCOL.meaning);
  });
}
