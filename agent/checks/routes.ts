/** `/proxy/checks`: whether sites answer as they should. */
import { Elysia } from 'elysia';
import { AgentErrorBody } from '../../src/shared/wire.ts';
import { ChecksAnswer, ChecksRequest } from '../../src/shared/wire-check.ts';
import type { Checks } from './checks.ts';

/** Mount them after the guard and `jsonBody`. */
export function checkRoutes(checks: Checks) {
  return new Elysia({ name: 'checks' }).post(
    '/proxy/checks',
    async ({ body, request }) => ({ answers: await checks.run(body, request.signal) }),
    {
      body: ChecksRequest,
      response: { 200: ChecksAnswer, 400: AgentErrorBody, 502: AgentErrorBody },
    },
  );
}
