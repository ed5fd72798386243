/** `/proxy/explanation`: what stands between visitors and the service behind a site. */
import { Elysia } from 'elysia';
import { ExplainRequest, Findings } from '../../../src/features/explain/wire.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';

type Look = (request: ExplainRequest, signal: AbortSignal) => Promise<Findings>;

/** @param bodyLimit how many bytes a body may have */
export function explainRoutes(look: Look, bodyLimit: number) {
  return new Elysia({ name: 'explain' })
    .use(jsonBody(bodyLimit))
    .post('/proxy/explanation', async ({ body, request }) => look(body, request.signal), {
      body: ExplainRequest,
      response: {
        200: Findings,
        400: AgentErrorBody,
        429: AgentErrorBody,
        502: AgentErrorBody,
        503: AgentErrorBody,
      },
    });
}
