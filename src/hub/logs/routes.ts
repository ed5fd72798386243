/** `/logs`: pages of the access log, numbers over time, and what is logged from now on. */
import { Elysia, t } from 'elysia';
import { eventStream } from '../../shared/http.ts';
import { LogPage, LogQuery, LogStats, StatsQuery, TailQuery } from '../../shared/wire.ts';
import type { AgentClient } from '../agent-client/client.ts';
import type { Guard } from '../auth/guard.ts';
import { ASKS_AGENT, refusals } from '../http/refusal-schemas.ts';
import * as operations from './operations.ts';

export function logRoutes({ agent, guard }: { agent: AgentClient; guard: Guard }) {
  return new Elysia({ name: 'logs' })
    .use(guard)
    .get('/logs', ({ query }) => agent.logs(query), {
      query: LogQuery,
      response: { 200: LogPage, ...refusals(...ASKS_AGENT) },
      detail: operations.logs,
    })
    .get(
      '/logs/tail',
      async ({ query, request }) =>
        eventStream(await agent.tail(query, request.headers.get('last-event-id'))),
      {
        query: TailQuery,
        response: { 200: t.String(), ...refusals(...ASKS_AGENT) },
        detail: operations.tail,
      },
    )
    .get('/logs/stats', ({ query }) => agent.stats(query), {
      query: StatsQuery,
      response: { 200: LogStats, ...refusals(...ASKS_AGENT) },
      detail: operations.stats,
    });
}
