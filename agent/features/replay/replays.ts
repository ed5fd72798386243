/** The replays of an agent: one at a time, and what came of the last few. */
import { readFileSync } from 'node:fs';
import {
  REPLAY_MS,
  type ReplayRequest,
  type ReplayState,
} from '../../../src/features/replay/wire.ts';
import { Failure, sentenceOf } from '../../../src/shared/failure.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { type Log, reasonOf } from '../../../src/shared/log.ts';
import type { CommandDeps } from '../../caddy/config/adapt.ts';
import type { TrialCaddies } from '../../caddy/process/trial-caddy.ts';
import type { Logs } from '../../logs/logs.ts';
import type { Progress } from './run.ts';

type ReplaysDeps = {
  trials: Pick<TrialCaddies, 'run'>;
  /** Adapts a text as if it were to be loaded. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt: (text: string) => Promise<JsonObject>;
  /** The same of the text that is live. @throws as `adapt`, and file system errors */
  live: () => Promise<JsonObject>;
  /** The modules that Caddy was built with; null if it cannot be asked. */
  modules: () => Promise<string[] | null>;
  beforeReload: Set<() => void>;
  logs: Pick<Logs, 'distinct'>;
  /** Bytes of memory that programs may still take; by default what the kernel says. */
  available?: () => number;
  now: () => Date;
  log: Log;
};

/** Another program of Caddy. */
export type OtherProgram = Pick<ReplaysDeps, 'adapt' | 'modules'> & { commands: CommandDeps };

export type Replays = {
  /** @returns an id for what follows @throws Failure RATE_LIMITED while one runs */
  start(request: ReplayRequest): string;
  /**
   * The same with another program for what would be; the one before ends first.
   * @returns what it found, whether it is done or failed
   * @throws Failure STOPPING
   */
  ofProgram(
    request: ReplayRequest,
    program: OtherProgram,
    signal: AbortSignal,
  ): Promise<ReplayState>;
  /** @throws Failure NOT_FOUND */
  state(id: string): ReplayState;
  /** Ends it, and forgets what it found; without effect if there is no such replay. */
  end(id: string): Promise<void>;
  /** Ends the one that runs; there are no others from then on. */
  close(): Promise<void>;
};

/** How long what was found can be read, in milliseconds, and of how many. */
const KEPT_MS = 10 * 60_000;
const MOST_KEPT = 5;
/** Bytes that must be free to start, for two Caddys and the requests; and to continue. */
const NEEDED = 256 * 1024 * 1024;
const LEAST = 64 * 1024 * 1024;
const WATCH_MS = 1_000;

/** The listener wrapper that gives Caddy a visitor's address, since 2.7. */
export const PROXY_PROTOCOL = 'caddy.listeners.proxy_protocol';

const OVERTAKEN = 'The configuration changed in the meantime. Ask again.';
const NO_MEMORY = 'The machine is short of memory.';
const STOPPED = 'The agent is stopping.';

type Replay = {
  id: string;
  state: ReplayState['state'];
  progress: Progress | null;
  detail?: string;
  stopping: AbortController;
  over: Promise<void>;
  forget?: Timer;
};

export function createReplays(deps: ReplaysDeps): Replays {
  const { trials, adapt, live, modules, beforeReload, available = memoryAvailable, log } = deps;
  /** The oldest first; only the last one may be running. */
  const known = new Map<string, Replay>();
  let isClosed = false;

  async function run(
    replay: Replay,
    request: ReplayRequest,
    program: OtherProgram | null,
  ): Promise<void> {
    const { signal } = replay.stopping;
    // What is being compared is out of date then.
    const overtake = () => replay.stopping.abort(OVERTAKEN);
    beforeReload.add(overtake);
    const watch = setInterval(() => {
      if (available() < LEAST) replay.stopping.abort(NO_MEMORY);
    }, WATCH_MS);
    const late = setTimeout(() => replay.stopping.abort(LATE), REPLAY_MS);
    try {
      if (available() < NEEDED) throw NO_MEMORY;
      // One after the other, here and below: a core is left for visitors.
      const built = [await modules(), await (program?.modules ?? modules)()];
      const before = await live();
      const after = await (program?.adapt ?? adapt)(request.proxyfile);
      signal.throwIfAborted();
      const knowsAddresses = built.every((names) => names?.includes(PROXY_PROTOCOL));
      const scenes = {
        configs: [before, after] as const,
        knowsAddresses,
        commandsAfter: program?.commands,
      };
      const { runReplay } = await import('./run.ts');
      await trials.run(
        (start, signal) =>
          runReplay(request, { ...deps, ...scenes, start }, signal, (progress) => {
            replay.progress = progress;
          }),
        signal,
      );
      replay.state = 'done';
    } catch (error) {
      replay.state = 'failed';
      replay.detail = wordsOf(signal.aborted ? signal.reason : error);
      if (!(error instanceof Failure) && typeof error !== 'string' && !signal.aborted) {
        log('replay failed', { reason: reasonOf(error) }, 'error');
      }
    } finally {
      clearInterval(watch);
      clearTimeout(late);
      beforeReload.delete(overtake);
      replay.forget = setTimeout(() => forget(replay), KEPT_MS);
      replay.forget.unref();
    }
  }

  function forget(replay: Replay): void {
    clearTimeout(replay.forget);
    known.delete(replay.id);
  }

  const running = () => [...known.values()].find(({ state }) => state === 'running');

  /** @throws Failure RATE_LIMITED while one runs; STOPPING */
  function begin(request: ReplayRequest, program: OtherProgram | null): Replay {
    if (isClosed) throw new Failure('STOPPING', STOPPED);
    if (running()) {
      const message = 'Another replay is running. Try again later.';
      throw new Failure('RATE_LIMITED', message, { retryAfter: REPLAY_MS / 1_000 });
    }
    const [oldest] = known.values();
    if (oldest && known.size === MOST_KEPT) forget(oldest);
    const replay: Replay = {
      id: crypto.randomUUID(),
      state: 'running',
      progress: null,
      stopping: new AbortController(),
      over: Promise.resolve(),
    };
    known.set(replay.id, replay);
    replay.over = run(replay, request, program);
    return replay;
  }

  function stateOf({ state, progress, detail }: Replay): ReplayState {
    return {
      ...(progress?.counts ?? { done: 0, of: 0, same: 0, differ: 0 }),
      state,
      groups: progress?.groups() ?? [],
      leftOut: progress?.leftOut() ?? [],
      ...(detail !== undefined && { detail }),
    };
  }

  return {
    start: (request) => begin(request, null).id,

    async ofProgram(request, program, signal) {
      for (let last = running(); last; last = running()) {
        last.stopping.abort(OVERTAKEN);
        await last.over;
      }
      const replay = begin(request, program);
      const stop = () => replay.stopping.abort(STOPPED);
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      await replay.over;
      signal.removeEventListener('abort', stop);
      forget(replay);
      return stateOf(replay);
    },

    state(id) {
      const found = known.get(id);
      if (!found) throw new Failure('NOT_FOUND', 'There is no such replay.');
      return stateOf(found);
    },

    async end(id) {
      const replay = known.get(id);
      if (!replay) return;
      replay.stopping.abort(STOPPED);
      await replay.over;
      forget(replay);
    },

    async close() {
      isClosed = true;
      const last = running();
      last?.stopping.abort(STOPPED);
      await last?.over;
    },
  };
}

const LATE = `It took longer than ${REPLAY_MS / 1_000} s.`;

const wordsOf = (error: unknown): string =>
  typeof error === 'string'
    ? error
    : error instanceof Failure
      ? (sentenceOf(error) ?? error.message)
      : 'The replay failed: see the log of the agent.';

/** Bytes, by /proc/meminfo (proc(5)); unlimited where that cannot be read. */
function memoryAvailable(): number {
  try {
    const text = readFileSync('/proc/meminfo', 'utf8');
    return Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1]) * 1024;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
