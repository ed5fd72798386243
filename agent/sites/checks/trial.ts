/**
 * Tries a Caddyfile in a Caddy of its own, which lives for one request: nobody else knows its ports, and
 * nothing that the real one serves, stores or logs is touched.
 */
import { dirname, join } from 'node:path';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { field, type JsonObject, object } from '../../../src/shared/json.ts';
import { TRIAL_MS, type TrialRequest } from '../../../src/shared/wire/checks.ts';
import { memoryLimit } from '../../caddy/config/adapt.ts';
import { freePorts } from '../../caddy/ports/ports.ts';
import { listeningInodes } from '../../caddy/ports/sockets.ts';
import {
  endTrialsIn,
  startTrialCaddy,
  type TrialCaddyDeps,
} from '../../caddy/process/trial-caddy.ts';
import type { CheckAnswer } from './checks.ts';
import { runChecks } from './checks.ts';
import { trialConfig } from './trial-config.ts';
import { doubtAfter, doubtOf } from './trial-doubt.ts';

/** Trials have a folder beside that of validations. */
type TrialsDeps = TrialCaddyDeps & {
  /** Adapts a text as if it were to be loaded. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt: (text: string) => Promise<JsonObject>;
  /** Whether the agent runs Caddy itself. */
  isManaged: boolean;
  /** As for `createChecks`: a trial logs nothing, but a site may forward to one that is live. */
  userAgent: () => string;
};

export type Trials = {
  /**
   * Asks for each check, in the order of the request. Of the trial of a change, what did not end in time is a
   * doubt.
   * @param signal aborted when nobody waits for the answer any more
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
   */
  run(request: TrialRequest, signal: AbortSignal): Promise<CheckAnswer[]>;
  /** Ends what a killed agent left behind. @throws file system errors */
  begin(): Promise<void>;
  /** Ends the trials that run; there are no others from then on. */
  close(): Promise<void>;
};

/** How many run at once, a Caddy each: of the changes that are published, and of those that are only previewed. */
const AT_ONCE = 3;

/** Why a change cannot be tried, where another program runs Caddy. */
const ELSEWHERE = 'Another program runs Caddy, which may reach what the agent cannot';

const LATE = `The trial did not finish within ${TRIAL_MS / 1_000} s`;

export function createTrials(deps: TrialsDeps): Trials {
  const { adapt, commands, isManaged, userAgent } = deps;
  const home = dirname(commands.env.XDG_DATA_HOME);
  /** A folder for each that can run at once. */
  const folders = Array.from({ length: AT_ONCE }, (_, at) => join(home, `trial-${at + 1}`));
  const free = [...folders];
  const closing = new AbortController();
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });
  const running = new Set<Promise<unknown>>();

  async function tried(
    folder: string,
    { proxyfile, checks, change = false }: TrialRequest,
    signal: AbortSignal,
  ): Promise<CheckAnswer[]> {
    const adapted = await adapt(proxyfile);
    const { length: servers } = Object.keys(object(field(adapted, 'apps', 'http', 'servers')));
    const { json, places, names } = trialConfig(adapted, checks, freePorts(servers));
    const used = places.flatMap((place) => (typeof place === 'object' ? (place.dial ?? []) : []));
    signal.throwIfAborted();
    const { until, end } = startTrialCaddy(folder, json, deps, {
      memory: memoryLimit(proxyfile),
      names,
    });
    try {
      await until(() => used.every((port) => listeningInodes(port).length > 0), signal);
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
    } finally {
      await end();
    }
  }

  /** @throws as `run` */
  async function inTime(
    folder: string,
    request: TrialRequest,
    given: AbortSignal,
  ): Promise<CheckAnswer[]> {
    const unknown = (doubt: string) =>
      request.checks.map(() => ({ passed: false, status: null, reason: doubt, doubt }));
    if (request.change && !isManaged) return unknown(ELSEWHERE);
    const signal = AbortSignal.any([given, closing.signal, AbortSignal.timeout(TRIAL_MS)]);
    try {
      return await tried(folder, request, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      if (request.change) return unknown(LATE);
      throw new Failure('PROXY_UNREACHABLE', `${LATE}.`);
    }
  }

  return {
    run(request, signal) {
      const going = limited(async () => {
        const folder = free.shift() ?? '';
        return await inTime(folder, request, signal).finally(() => free.unshift(folder));
      });
      running.add(going);
      return going.finally(() => running.delete(going));
    },

    begin: () => endTrialsIn(folders, commands.bin),

    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}
