/** `/proxy/replay`: what a configuration would have done to requests that are in the log. */
import { Elysia, t } from 'elysia';
import { ReplayRequest, ReplayStarted, ReplayState } from '../../../src/features/replay/wire.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';
import type { Replays } from './replays.ts';

/** @param bodyLimit how many bytes a body may have */
export function replayRoutes(replays: Pick<Replays, 'start' | 'state' | 'end'>, bodyLimit: number) {
  return new Elysia({ name: 'replay' })
    .use(jsonBody(bodyLimit))
    .post('/proxy/replay', ({ body }) => ({ id: replays.start(body) }), {
      body: ReplayRequest,
      response: { 200: ReplayStarted, 400: AgentErrorBody, 429: AgentErrorBody },
    })
    .get('/proxy/replay', ({ query }) => replays.state(query.id), {
      query: ReplayStarted,
      response: { 200: ReplayState, 400: AgentErrorBody, 404: AgentErrorBody },
    })
    .post(
      '/proxy/replay/end',
      async ({ body }) => {
        await replays.end(body.id);
        return { success: true as const };
      },
      {
        body: ReplayStarted,
        response: { 200: t.Object({ success: t.Literal(true) }), 400: AgentErrorBody },
      },
    );
}
