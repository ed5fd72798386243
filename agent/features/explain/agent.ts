/** Looks, in an agent, at what stands between visitors and the service behind a site. */
import { dirname, join } from 'node:path';
import { causeOf } from '../../../src/features/explain/shared/error-words.ts';
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { reachable } from '../../caddy/admin.ts';
import { endTrialsIn } from '../../caddy/process/trial-caddy.ts';
import type { AgentHalf } from '../../core.ts';
import { doubtfulSubject, type LookDeps, look, subjectOf } from './look.ts';
import { explainRoutes } from './routes.ts';

/** A Caddy each. */
const AT_ONCE = 2;
const MOST_WAITING = 6;
const RETRY_AFTER_SECONDS = 5;

export const agent: AgentHalf = (core) => {
  const { proxy, prober, live, logs, user, userAgent, now, bodyLimit } = core;
  const { commands, adaptAllowed: adapt, status, replaceable, admin } = proxy;
  const home = dirname(commands.env.XDG_DATA_HOME);
  const folders = Array.from({ length: AT_ONCE }, (_, at) => join(home, `explain-${at + 1}`));
  const free = [...folders];
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const limited = createConcurrencyLimit({
    concurrency: AT_ONCE,
    maxWaiting: MOST_WAITING,
    full: () =>
      new Failure('RATE_LIMITED', 'Other explanations are running. Try again soon.', {
        retryAfter: RETRY_AFTER_SECONDS,
      }),
  });
  const deps: LookDeps = {
    adapt,
    status,
    live: () => live().catch(unreachable),
    config: () => admin.config().catch(unreachable),
    commands,
    user,
    userAgent,
    isProbing: prober !== null,
    logs,
    now,
    caddy: () => replaceable?.pid() ?? null,
  };

  function begun<T>(found: Promise<T>): Promise<T> {
    running.add(found);
    return found.finally(() => running.delete(found));
  }

  /** When its turn comes. */
  const lookAt = (subject: Parameters<typeof look>[0], given: AbortSignal) =>
    limited(async () => {
      const signal = AbortSignal.any([given, closing.signal]);
      const folder = free.shift() ?? '';
      return await look(subject, folder, deps, signal).finally(() => free.unshift(folder));
    });

  return {
    routes: explainRoutes(
      {
        look: (request, signal) =>
          begun(subjectOf(request, deps).then((subject) => lookAt(subject, signal))),
        first: (request, signal) =>
          begun(
            doubtfulSubject(request, deps).then((subject) => subject && lookAt(subject, signal)),
          ),
      },
      bodyLimit,
    ),
    causeOf,
    begin: () => endTrialsIn(folders, commands.bin),
    async end() {
      closing.abort(new Failure('STOPPING', 'The agent is stopping.'));
      await Promise.allSettled(running);
    },
  };
};

/** @throws Failure PROXY_UNREACHABLE always, or what it is given */
function unreachable(error: unknown): never {
  throw reachable(error);
}
