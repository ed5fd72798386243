/** Looks, in an agent, at what stands between visitors and the service behind a site. */
import { Elysia } from 'elysia';
import { causeOf } from '../../../src/features/explain/shared/error-words.ts';
import {
  EXPLAIN,
  ExplainRequest,
  FIRST_LOOK,
  Findings,
  FirstLook,
  FirstLookRequest,
} from '../../../src/features/explain/wire.ts';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';
import { reachable } from '../../caddy/admin.ts';
import type { AgentHalf } from '../../core.ts';
import { doubtfulSubject, type LookDeps, look, subjectOf } from './look.ts';

/** A Caddy each. */
const AT_ONCE = 2;
const MOST_WAITING = 6;
const RETRY_AFTER_SECONDS = 5;

const refusals = {
  400: AgentErrorBody,
  429: AgentErrorBody,
  502: AgentErrorBody,
  503: AgentErrorBody,
};

export const agent: AgentHalf = (core) => {
  const { proxy, prober, live, user, bodyLimit } = core;
  const { adaptAllowed: adapt, status, replaceable, admin } = proxy;
  const limited = createConcurrencyLimit({
    concurrency: AT_ONCE,
    maxWaiting: MOST_WAITING,
    full: () =>
      new Failure('RATE_LIMITED', 'Other explanations are running. Try again soon.', {
        retryAfter: RETRY_AFTER_SECONDS,
      }),
  });
  const deps: LookDeps = {
    ...core,
    adapt,
    status,
    live: () => live().catch(unreachable),
    config: () => admin.config().catch(unreachable),
    isApart: user !== null,
    isProbing: prober !== null,
    caddy: () => replaceable?.pid() ?? null,
  };

  return {
    routes: new Elysia({ name: 'explain' })
      .use(jsonBody(bodyLimit))
      .post(
        EXPLAIN.path,
        async ({ body, request: { signal } }) => {
          const subject = await subjectOf(body, deps);
          return await limited(() => look(subject, deps, signal));
        },
        { body: ExplainRequest, response: { 200: Findings, ...refusals } },
      )
      .post(
        FIRST_LOOK.path,
        async ({ body, request: { signal } }) => {
          const subject = await doubtfulSubject(body, deps);
          return { findings: subject && (await limited(() => look(subject, deps, signal))) };
        },
        { body: FirstLookRequest, response: { 200: FirstLook, ...refusals } },
      ),
    causeOf,
  };
};

/** @throws Failure PROXY_UNREACHABLE always, or what it is given */
function unreachable(error: unknown): never {
  throw reachable(error);
}
