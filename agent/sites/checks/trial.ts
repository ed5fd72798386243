/**
 * Tries a Caddyfile in a Caddy of its own, which lives for one request: nobody else knows its ports, and
 * nothing that the real one serves, stores or logs is touched.
 */
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { field, type JsonObject, object } from '../../../src/shared/json.ts';
import { TRIAL_MS, type TrialRequest } from '../../../src/shared/wire/checks.ts';
import { memoryLimit } from '../../caddy/config/adapt.ts';
import { freePorts } from '../../caddy/ports/ports.ts';
import type { TrialCaddies } from '../../caddy/process/trial-caddy.ts';
import { type CheckAnswer, runChecks } from './checks.ts';
import { trialConfig } from './trial-config.ts';
import { doubtAfter, doubtOf } from './trial-doubt.ts';

type TrialDeps = {
  trials: Pick<TrialCaddies, 'run'>;
  /** Adapts a text as if it were to be loaded. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt: (text: string) => Promise<JsonObject>;
  /** Whether the agent runs Caddy itself. */
  isManaged: boolean;
  /** As for `createChecks`: a trial logs nothing, but a site may forward to one that is live. */
  userAgent: () => string;
};

/**
 * Asks for each check, in the order of the request. Of the trial of a change, what did not end in time is a
 * doubt.
 * @param signal aborted when nobody waits for the answer any more
 * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, STOPPING
 */
export type TryOut = (request: TrialRequest, signal: AbortSignal) => Promise<CheckAnswer[]>;

/** How many run at once, a Caddy each: of the changes that are published, and of those that are only previewed. */
const AT_ONCE = 3;

/** Why a change cannot be tried, where another program runs Caddy. */
const ELSEWHERE = 'Another program runs Caddy, which may reach what the agent cannot';

const LATE = `The trial did not finish within ${TRIAL_MS / 1_000} s`;

export function createTryOut({ trials, adapt, isManaged, userAgent }: TrialDeps): TryOut {
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });

  const tried = ({ proxyfile, checks, change = false }: TrialRequest, given: AbortSignal) =>
    trials.run(async (start, signal): Promise<CheckAnswer[]> => {
      const adapted = await adapt(proxyfile);
      const { length: servers } = Object.keys(object(field(adapted, 'apps', 'http', 'servers')));
      const { places, ...config } = trialConfig(adapted, checks, freePorts(servers));
      await start({ ...config, memory: memoryLimit(proxyfile) });
      const doubts = await Promise.all(
        checks.map((target) => (change ? doubtOf(adapted, target) : null)),
      );
      // What is asked again once it is live keeps nobody waiting for long twice.
      const asked = checks.map((target, at) =>
        doubts[at] === null ? target : { ...target, tried: 0 },
      );
      const placeOf = new Map(asked.map((target, at) => [target, places[at] ?? '']));
      const answers = await runChecks(asked, {
        placeOf: (target) => placeOf.get(target) ?? '',
        userAgent: userAgent(),
        signal,
      });
      signal.throwIfAborted();
      if (!change) return answers;
      return answers.map((answer, at) =>
        answer.passed ? answer : { ...answer, doubt: doubts[at] ?? doubtAfter(answer) },
      );
    }, given);

  return async (request, given) => {
    const unknown = (doubt: string) =>
      request.checks.map(() => ({ passed: false, status: null, reason: doubt, doubt }));
    if (request.change && !isManaged) return unknown(ELSEWHERE);
    return await limited(async () => {
      const signal = AbortSignal.any([given, AbortSignal.timeout(TRIAL_MS)]);
      try {
        return await tried(request, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        if (request.change) return unknown(LATE);
        throw new Failure('PROXY_UNREACHABLE', `${LATE}.`);
      }
    });
  };
}
