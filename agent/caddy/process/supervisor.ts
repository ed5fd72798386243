/** Keeps one Caddy and its storage: starts it, adopts one that outlived its agent, restarts it, stops it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, within } from '../../../src/shared/async.ts';
import type { Log } from '../../../src/shared/log.ts';
import type { Pace } from '../../pace.ts';
import type { Warnings } from '../../warnings.ts';
import { endLastLines } from '../access-log.ts';
import { type CaddyStorage, createCaddyStorage } from '../storage/storage.ts';
import type { KeptProgram } from './kept-program.ts';
import { createLaunch, type LaunchDeps, STOP_GRACE_MS } from './launch.ts';
import { createMuteWatch } from './mute-watch.ts';
import { end, isAlive, type Process } from './processes.ts';

type SupervisorDeps = Omit<LaunchDeps, 'beforeStart'> & {
  program: KeptProgram;
  accessLog: string;
  /** Runs after each start, once the admin endpoint answers: loads what is to be served. */
  onUp: (log: Log) => Promise<void>;
  pace: Pick<Pace, 'storage' | 'supervise'>;
  warnings: Warnings;
  log: Log;
};

type Supervisor = Pick<CaddyStorage, 'repairAfter' | 'keepSynced'> & {
  /**
   * Resolves when Caddy answers. If it does not start, logs and warns of that, and keeps trying.
   */
  start(): Promise<void>;
  /** Stops Caddy and starts it with nothing but its admin endpoint. @throws Error */
  restart(): Promise<void>;
  /** Stops Caddy and waits until it is gone. @param keeps leaves it for the next agent */
  stop(keeps: boolean): Promise<void>;
  /** How often a Caddy was started or adopted. */
  starts(): { started: number; adopted: number };
  /** The pid of the running Caddy, or null. */
  pid(): number | null;
};

/** Caddy answers within 100 ms on two cores; a Raspberry Pi with a cold disk takes seconds. */
const START_TIMEOUT_MS = 15_000;
/** Shorter, because every site is down meanwhile. */
const RESTART_GRACE_MS = 500;
const ROLL_EVERY_POLLS = 60;

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { admin, accessLog, program, warnings, log } = deps;
  const { supervise: pace, storage: storagePace } = deps.pace;
  const { say, settle } = createSparseLog(log, pace.say);
  const storage = createCaddyStorage({
    folder: join(deps.env.XDG_DATA_HOME ?? '', 'caddy'),
    warnings,
    pace: storagePace,
    now: () => new Date(),
    log,
  });
  const launch = createLaunch({
    ...deps,
    async beforeStart() {
      await storage.prepare();
      await endLastLines(accessLog);
    },
  });
  const mute = createMuteWatch(admin, pace);
  let current: Process | null = null;
  let stopping = false;
  let failures = 0;
  let upSince = 0;
  const starts = { started: 0, adopted: 0 };
  let restarting = false;
  let watching: Promise<void> = Promise.resolve();
  let wake = () => {};

  async function answersWhile(of: Process): Promise<boolean> {
    const until = performance.now() + START_TIMEOUT_MS;
    while (isAlive(of) && performance.now() < until && !stopping) {
      if (await admin.answers().catch(() => false)) return true;
      await Bun.sleep(10);
    }
    return false;
  }

  async function started(of: Process): Promise<void> {
    if (await answersWhile(of)) return;
    await end(of, 0);
    const words = RIGHTS.exec(readEnd(launch.output))?.[0];
    const why = words === undefined ? '' : ` (${words})`;
    throw new Error(`the proxy did not start${why}; its output is in ${launch.output}`);
  }

  async function up(isRestart = false): Promise<void> {
    const adopted = await launch.adopt();
    if (adopted === null) await program.choose(!isRestart);
    try {
      current = adopted ?? (await launch.spawn());
      await started(current);
    } catch (error) {
      program.notStarted();
      throw error;
    }
    program.started(program.bin());
    upSince = performance.now();
    mute.reset();
    starts[adopted ? 'adopted' : 'started']++;
    say(adopted ? 'proxy adopted' : 'proxy started', { pid: current.pid });
  }

  /** Waits until the time is over or `wake` is called. */
  const pause = (milliseconds: number): Promise<void> =>
    within(new Promise<void>((resolve) => (wake = resolve)), milliseconds, () => undefined);

  async function watch(): Promise<void> {
    for (let polls = 1; !stopping; polls++) {
      await pause(pace.poll);
      if (polls % ROLL_EVERY_POLLS === 0) launch.rollOutput();
      if (stopping || restarting) continue;
      if (current && isAlive(current)) {
        if (failures > 0 && performance.now() - upSince > pace.healthy) {
          failures = 0;
          settle();
        }
        if (!mute.isMute()) continue;
        say('proxy mute', { pid: current.pid }, 'warn');
        await end(current, RESTART_GRACE_MS);
      }
      if (current) say('proxy ended', {}, 'warn');
      const lived = current === null ? null : performance.now() - upSince;
      await pause(pauseAfter(failures++, lived, pace));
      if (!stopping) await serve();
    }
  }

  /** Starts Caddy and loads its sites. Never rejects: if that fails, the next poll tries again. */
  async function serve(): Promise<void> {
    try {
      await up();
      storage.keepSynced();
      warnings.set('start', null);
      await deps.onUp(say);
    } catch (error) {
      if (current === null || !isAlive(current)) warnings.set('start', startWarning(error, deps));
      current = null;
      say('proxy not started', { reason: String(error) }, 'error');
    }
  }

  return {
    async start() {
      await serve();
      watching = watch();
    },

    async restart() {
      restarting = true;
      try {
        if (current) await end(current, RESTART_GRACE_MS);
        await up(true);
      } finally {
        restarting = false;
      }
    },

    async stop(keeps) {
      stopping = true;
      wake();
      await watching;
      if (keeps) {
        log('proxy kept');
      } else {
        if (current) await end(current, STOP_GRACE_MS);
        // One may have gone unseen after its start, for lack of a descriptor.
        await launch.endAll();
        log('proxy stopped');
      }
      await storage.stop();
    },

    repairAfter: storage.repairAfter,
    keepSynced: storage.keepSynced,
    starts: () => ({ ...starts }),
    pid: () => (current && isAlive(current) ? current.pid : null),
  };
}

/** While sites were served, none of them waits longer than this for one that ends now and then. */
const MOST_AFTER_SERVING_MS = 5_000;

/**
 * Milliseconds until Caddy is started again: longer each time, but never longer than it served sites before.
 * @param failures how often in a row it ended before
 * @param lived milliseconds; null if it did not start
 */
export function pauseAfter(
  failures: number,
  lived: number | null,
  { backoff }: Pick<Pace['supervise'], 'backoff'>,
): number {
  const [first = 0] = backoff;
  const usual = backoff[Math.min(failures, backoff.length - 1)] ?? first;
  return lived === null ? usual : Math.min(usual, Math.max(lived, first), MOST_AFTER_SERVING_MS);
}

/** Bytes in which the reason of a failed start is. */
const END_BYTES = 4_096;

/** The last lines of a file; empty if it cannot be read. */
function readEnd(file: string): string {
  try {
    return readFileSync(file, 'latin1').slice(-END_BYTES);
  } catch {
    return '';
  }
}

/** What a program says that may not do something with a file. */
const RIGHTS = /EACCES|EPERM|permission denied|must be owned/i;

/** Why Caddy was not started, and what to do, without paths of the host. */
function startWarning(
  error: unknown,
  { folder, user }: Pick<LaunchDeps, 'folder' | 'user'>,
): string {
  const reason = messageOf(error).replaceAll(dirname(folder), 'DATA_DIR');
  const owner = user?.uid ?? process.getuid?.();
  const cure = ` If it is because of the rights of its files: chmod -R go= DATA_DIR/caddy, and chown -R ${owner} DATA_DIR/caddy/*.`;
  return `Caddy cannot be started: ${reason}.${RIGHTS.test(reason) ? cure : ''}`;
}

type SparseLog = {
  /** Logs the first lines, then no more than one each time. */
  say: Log;
  /** Starts over, and logs the last line if it was left out. */
  settle(): void;
};

/** Enough for two rounds of a process that starts and ends. */
const FIRST_LINES = 5;

/**
 * Keeps what fails again and again from filling the log.
 * @param every milliseconds
 * @param now milliseconds on a clock that nobody sets
 */
export function createSparseLog(log: Log, every: number, now = () => performance.now()): SparseLog {
  let lines = 0;
  let lastAt = 0;
  let leftOut: Parameters<Log> | null = null;

  return {
    say(...line) {
      if (lines >= FIRST_LINES && now() - lastAt < every) {
        leftOut = line;
        return;
      }
      lines++;
      lastAt = now();
      leftOut = null;
      log(...line);
    },
    settle() {
      lines = 0;
      if (leftOut !== null) log(...leftOut);
      leftOut = null;
    },
  };
}
