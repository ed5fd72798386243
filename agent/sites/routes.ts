/** `/proxy/checks` and `/proxy/trial`: whether sites answer as they should, or would. */
import { Elysia } from 'elysia';
import { AgentErrorBody } from '../../src/shared/wire.ts';
import { ChecksAnswer, ChecksRequest, TrialRequest } from '../../src/shared/wire-check.ts';
import type { Checks } from './checks/checks.ts';
import type { Trials } from './checks/trial.ts';

export type CheckRoutesDeps = { checks: Checks; trials: Pick<Trials, 'run'> };

/** Mount them after the guard and `jsonBody`. */
export function checkRoutes({ checks, trials }: CheckRoutesDeps) {
  return new Elysia({ name: 'checks' })
    .post(
      '/proxy/checks',
      async ({ body, request }) => ({ answers: await checks.run(body, request.signal) }),
      {
        body: ChecksRequest,
        response: { 200: ChecksAnswer, 400: AgentErrorBody, 502: AgentErrorBody },
      },
    )
    .post(
      '/proxy/trial',
      async ({ body, request }) => ({ answers: await trials.run(body, request.signal) }),
      {
        body: TrialRequest,
        response: {
          200: ChecksAnswer,
          400: AgentErrorBody,
          429: AgentErrorBody,
          502: AgentErrorBody,
        },
      },
    );
}
