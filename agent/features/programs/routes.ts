/** `/proxy/programs` and `/proxy/program`: which program of Caddy runs, and its exchange for another. */
import { Elysia, t } from 'elysia';
import {
  ExchangeAnswer,
  ExchangeRequest,
  FetchRequest,
  Program,
  ProgramsAnswer,
  Sum,
} from '../../../src/features/programs/wire.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';
import type { Exchangeable } from '../../caddy/proxy.ts';
import type { AgentCore } from '../../core.ts';
import type { Replays } from '../replay/replays.ts';
import type { Exchange } from './exchange.ts';
import { fetchIn, takeIn } from './intake.ts';

type ProgramsDeps = {
  programs: () => Promise<ProgramsAnswer>;
  /** Null if another program runs the proxy. */
  exchange: (Exchange & { with: Exchangeable }) | null;
  replays: Pick<Replays, 'interrupt'>;
} & Pick<AgentCore, 'look' | 'bodyLimit'>;

const refusals = { 400: AgentErrorBody, 404: AgentErrorBody, 502: AgentErrorBody };

export function programRoutes({ programs, exchange, replays, look, bodyLimit }: ProgramsDeps) {
  /** @throws Failure INVALID_REQUEST */
  function exchangeable(): NonNullable<typeof exchange> {
    if (exchange) return exchange;
    throw new Failure(
      'INVALID_REQUEST',
      'Another program runs Caddy, so the agent cannot exchange it.',
    );
  }

  return new Elysia({ name: 'programs' })
    .get('/proxy/programs', programs, { response: { 200: ProgramsAnswer } })
    .put(
      '/proxy/programs',
      async ({ query, request, server }) => {
        const { with: deps } = exchangeable();
        server?.timeout(request, 0);
        return takeIn(request.body ?? new Blob().stream(), query.sha256, deps);
      },
      { query: t.Object({ sha256: Sum }), response: { 200: Program, ...refusals } },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/proxy/programs/fetch',
      ({ body, request, server }) => {
        const { with: deps } = exchangeable();
        server?.timeout(request, 0);
        return fetchIn(body.url, body.sha256, deps);
      },
      { body: FetchRequest, response: { 200: Program, ...refusals } },
    )
    .post(
      '/proxy/program',
      async ({ body, request, server }) => {
        const { run } = exchangeable();
        server?.timeout(request, 0);
        replays.interrupt();
        const answer = await run(body, request.signal);
        look();
        return answer;
      },
      {
        body: ExchangeRequest,
        response: { 200: ExchangeAnswer, ...refusals, 409: AgentErrorBody },
      },
    );
}
