/** `/proxy/explanation`: what stands between visitors and the service behind a site. */
import { Elysia } from 'elysia';
import {
  ExplainRequest,
  Findings,
  FirstLook,
  FirstLookRequest,
} from '../../../src/features/explain/wire.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';

type Looks = {
  look: (request: ExplainRequest, signal: AbortSignal) => Promise<Findings>;
  first: (request: FirstLookRequest, signal: AbortSignal) => Promise<Findings | null>;
};

const refusals = {
  400: AgentErrorBody,
  429: AgentErrorBody,
  502: AgentErrorBody,
  503: AgentErrorBody,
};

/** @param bodyLimit how many bytes a body may have */
export function explainRoutes({ look, first }: Looks, bodyLimit: number) {
  return new Elysia({ name: 'explain' })
    .use(jsonBody(bodyLimit))
    .post('/proxy/explanation', async ({ body, request }) => look(body, request.signal), {
      body: ExplainRequest,
      response: { 200: Findings, ...refusals },
    })
    .post(
      '/proxy/explanation/first',
      async ({ body, request }) => ({ findings: await first(body, request.signal) }),
      { body: FirstLookRequest, response: { 200: FirstLook, ...refusals } },
    );
}
