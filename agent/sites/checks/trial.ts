/**
 * Tries a Caddyfile in a Caddy of its own, which lives for one request: nobody else knows its ports, and
 * nothing that the real one serves, stores or logs is touched. What only previews a change waits for its
 * turn, or is sent away; what a change depends on never is.
 */
import { dirname, join } from 'node:path';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { tail } from '../../../src/shared/bounded.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { field, type JsonObject, object } from '../../../src/shared/json.ts';
import { TRIAL_MS, TRIALS_AT_ONCE, type TrialRequest } from '../../../src/shared/wire/checks.ts';
import { memoryLimit } from '../../caddy/config/adapt.ts';
import { freePorts } from '../../caddy/ports/ports.ts';
import { listeningInodes } from '../../caddy/ports/sockets.ts';
import {
  endTrialsIn,
  startTrialCaddy,
  type TrialCaddyDeps,
} from '../../caddy/process/trial-caddy.ts';
import { lastErrorOf, rejected } from '../../caddy/words.ts';
import type { CheckAnswer } from './checks.ts';
import { runChecks } from './checks.ts';
import { trialConfig } from './trial-config.ts';
import { doubtOf } from './trial-doubt.ts';

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
   * Asks for each check, in the order of the request. One trial at a time; a few may wait. Those of changes
   * run beside it, a few at once; what did not end in time is a doubt.
   * @param signal aborted when nobody waits for the answer any more
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE; RATE_LIMITED if too many wait
   */
  run(request: TrialRequest, signal: AbortSignal): Promise<CheckAnswer[]>;
  /** Ends what a killed agent left behind. @throws file system errors */
  begin(): Promise<void>;
  /** Ends the trials that run; there are no others from then on. */
  close(): Promise<void>;
};

const MOST_WAITING = 4;
const POLL_MS = 10;

/** Why a change cannot be tried, where another program runs Caddy. */
const ELSEWHERE = 'Another program runs Caddy, which may reach what the agent cannot';

export function createTrials(deps: TrialsDeps): Trials {
  const { adapt, commands, isManaged, userAgent } = deps;
  const first = join(dirname(commands.env.XDG_DATA_HOME), 'trial');
  /** A folder for each that can run at once. */
  const folders = [
    first,
    ...Array.from({ length: TRIALS_AT_ONCE }, (_, at) => `${first}-${at + 1}`),
  ];
  const free = folders.slice(1);
  const closing = new AbortController();
  const alone = createConcurrencyLimit({
    concurrency: 1,
    maxWaiting: MOST_WAITING,
    full: () =>
      new Failure('RATE_LIMITED', 'Another trial is running. Try again later.', {
        retryAfter: TRIAL_MS / 1_000,
      }),
  });

  const ofChanges = createConcurrencyLimit({ concurrency: TRIALS_AT_ONCE });

  async function tried(
    folder: string,
    { proxyfile, checks, change = false, most }: TrialRequest,
    signal: AbortSignal,
  ): Promise<CheckAnswer[]> {
    const adapted = await adapt(proxyfile);
    const { length: servers } = Object.keys(object(field(adapted, 'apps', 'http', 'servers')));
    const { json, places, names } = trialConfig(adapted, checks, freePorts(servers));
    const used = places.flatMap((place) => (typeof place === 'object' ? (place.dial ?? []) : []));
    signal.throwIfAborted();
    const { child, end } = startTrialCaddy(folder, json, deps, {
      memory: memoryLimit(proxyfile),
      names,
    });
    try {
      const output = tail(child.stderr);
      while (!used.every((port) => listeningInodes(port).length > 0)) {
        if (child.exitCode !== null) throw rejected(lastErrorOf(await output));
        signal.throwIfAborted();
        await Bun.sleep(POLL_MS);
      }
      const placeOf = new Map(checks.map((target, at) => [target, places[at] ?? '']));
      const answers = await runChecks(checks, {
        placeOf: (target) => placeOf.get(target) ?? '',
        userAgent: userAgent(),
        longest: most,
        signal,
      });
      signal.throwIfAborted();
      if (!change) return answers;
      const doubted = answers.map(async (answer, at) => {
        const target = checks[at];
        if (answer.passed || !target) return answer;
        return { ...answer, doubt: await doubtOf(adapted, target, answer) };
      });
      return await Promise.all(doubted);
    } finally {
      await end();
    }
  }

  /** @param late what comes instead if it does not end in time @throws as `tried`, and as `late` */
  async function inTime(
    folder: string,
    request: TrialRequest,
    given: AbortSignal,
    late: (reason: string) => CheckAnswer[],
  ): Promise<CheckAnswer[]> {
    const signal = AbortSignal.any([given, closing.signal, AbortSignal.timeout(TRIAL_MS)]);
    try {
      return await tried(folder, request, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return late(`The trial did not finish within ${TRIAL_MS / 1_000} s`);
    }
  }

  const runAlone: Trials['run'] = (request, signal) =>
    alone(() =>
      inTime(first, request, signal, (reason) => {
        throw new Failure('PROXY_UNREACHABLE', `${reason}.`);
      }),
    );

  const runForChange: Trials['run'] = (request, signal) =>
    ofChanges(async () => {
      const unknown = (doubt: string) =>
        request.checks.map(() => ({ passed: false, status: null, reason: doubt, doubt }));
      if (!isManaged) return unknown(ELSEWHERE);
      const folder = free.shift() ?? first;
      return await inTime(folder, request, signal, unknown).finally(() => free.push(folder));
    });

  const running = new Set<Promise<unknown>>();

  return {
    run(request, signal) {
      const going = (request.change ? runForChange : runAlone)(request, signal);
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
