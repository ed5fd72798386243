/** Says, in an agent, who gets in to its sites and who came. */
import { Elysia } from 'elysia';
import {
  DAYS,
  LET_IN,
  LetInAnswer,
  LetInRequest,
  REFUSED,
  RefusedAnswer,
  RefusedRequest,
  TRIAL,
  TrialAnswer,
  TrialRequest,
  VISITS,
  VisitsAnswer,
  VisitsRequest,
} from '../../../src/features/doors/wire.ts';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';
import type { AgentHalf } from '../../core.ts';
import { PROXY_PROTOCOL } from '../replay/replays.ts';
import { tryDoors } from './trial.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const RETRY_AFTER_SECONDS = 5;

const refusals = {
  400: AgentErrorBody,
  429: AgentErrorBody,
  502: AgentErrorBody,
  503: AgentErrorBody,
};

/** Whoever only asks need not read that nothing was changed. @throws always */
function asQuestion(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'PROXY_REJECTED') throw error;
  const message = 'Who gets in is unknown, because Caddy refuses the Caddyfile.';
  throw new Failure('PROXY_REJECTED', message, {
    detail: error.detail,
    at: error.at,
    cause: error,
  });
}

export const agent: AgentHalf = ({ proxy, trials, logs, now, bodyLimit }) => {
  const limited = createConcurrencyLimit({
    concurrency: 1,
    maxWaiting: 2,
    full: () =>
      new Failure('RATE_LIMITED', 'Others are asking who gets in. Try again soon.', {
        retryAfter: RETRY_AFTER_SECONDS,
      }),
  });

  return {
    routes: new Elysia({ name: 'doors' })
      .use(jsonBody(bodyLimit))
      .post(
        TRIAL.path,
        ({ body, request }) =>
          limited(async () => {
            const modules = await proxy.modules();
            const knowsAddresses = modules?.includes(PROXY_PROTOCOL) ?? false;
            const config = await proxy.adaptLive();
            const places = await trials.run(
              (start, signal) => tryDoors(body, { start, config, knowsAddresses, signal }),
              request.signal,
            );
            return { places };
          }).catch(asQuestion),
        { body: TrialRequest, response: { 200: TrialAnswer, ...refusals } },
      )
      .post(
        VISITS.path,
        ({ body: { days, sites }, request }) =>
          limited(() =>
            logs.visits({ sites, from: now().getTime() - days * DAY_MS }, request.signal),
          ),
        { body: VisitsRequest, response: { 200: VisitsAnswer, ...refusals } },
      )
      .post(
        REFUSED.path,
        ({ body, request }) =>
          limited(async () => ({ visitors: await logs.refused(body, request.signal) })),
        { body: RefusedRequest, response: { 200: RefusedAnswer, ...refusals } },
      )
      .post(
        LET_IN.path,
        ({ body, request }) =>
          limited(async () => {
            const from = now().getTime() - DAYS.most * DAY_MS;
            return { visitors: await logs.letIn({ ...body, from }, request.signal) };
          }),
        { body: LetInRequest, response: { 200: LetInAnswer, ...refusals } },
      ),
  };
};
