/** Keeps one Caddy running: starts it, adopts one that outlived its agent, restarts it, stops it. */
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { within } from '../../src/shared/async.ts';
import type { Log } from '../../src/shared/log.ts';
import type { Pace } from '../pace.ts';
import type { Admin } from './admin.ts';
import { createMuteWatch } from './mute-watch.ts';
import { bootConfig } from './patch.ts';
import {
  end,
  findCaddies,
  isAlive,
  type Process,
  pidFileOf,
  processOf,
  record,
  runsWith,
  uidOf,
} from './processes.ts';
import { createSparseLog } from './sparse-log.ts';
import type { CaddyUser } from './user.ts';

type SupervisorDeps = {
  bin: string;
  /** Its user; null: the agent's. */
  user: CaddyUser | null;
  /** The folder for its socket, pid file, output and storage; mode 0700. */
  folder: string;
  /** Its whole environment. */
  env: Record<string, string>;
  admin: Admin;
  /** Runs before each start, while no Caddy uses its storage. Must not reject. */
  beforeStart: () => Promise<void>;
  /** Runs before each start: makes the folders that Caddy's user needs. @throws Error */
  prepare: () => void;
  /** Runs after each start, once the admin endpoint answers: loads what is to be served. */
  onUp: (log: Log) => Promise<void>;
  pace: Pace['supervise'];
  log: Log;
};

export type Supervisor = {
  /**
   * Resolves when Caddy answers. If it does not start, logs that and keeps trying.
   * @throws file system errors; what `prepare` throws
   */
  start(): Promise<void>;
  /** Stops Caddy and starts it with nothing but its admin endpoint. @throws Error */
  restart(): Promise<void>;
  /** Stops Caddy and waits until it is gone. */
  stop(): Promise<void>;
  /** How often a Caddy was started or adopted. */
  starts(): { started: number; adopted: number };
  /** The pid of the running Caddy, or null. */
  pid(): number | null;
};

/** Caddy answers within 100 ms on two cores; a Raspberry Pi with a cold disk takes seconds. */
const START_TIMEOUT_MS = 15_000;
/** Open requests may finish; a websocket never would. */
const STOP_GRACE_MS = 5_000;
/** Shorter, because every site is down meanwhile. */
const RESTART_GRACE_MS = 500;
const ROLL_EVERY_POLLS = 60;
const OUTPUT_ROLL_BYTES = 10 * 1024 * 1024;

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { folder, admin, pace, log } = deps;
  const { say, settle } = createSparseLog(log, pace.say);
  const boot = bootConfig({ listen: admin.address, origins: [admin.secret] });
  const output = join(folder, 'caddy.log');
  const mute = createMuteWatch(admin, pace);
  const empty = join(folder, 'empty');
  let current: Process | null = null;
  let stopping = false;
  let failures = 0;
  let upSince = 0;
  const starts = { started: 0, adopted: 0 };
  const args = ['run', '--config', '-', '--pidfile', pidFileOf(folder)];
  let restarting = false;
  let watching: Promise<void> = Promise.resolve();
  let wake = () => {};

  /** Caddy writes to a file, because a broken pipe would kill it when the agent dies. */
  function rollOutput(): void {
    try {
      if (statSync(output).size < OUTPUT_ROLL_BYTES) return;
      copyFileSync(output, `${output}.1`);
      truncateSync(output);
    } catch {
      // Not there yet.
    }
  }

  /** Before each start, because a cleaner may have removed them. @throws as `start` */
  function makeFolders(): void {
    for (const path of [empty, join(folder, 'run')]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    }
    deps.prepare();
  }

  async function spawn(): Promise<Process> {
    makeFolders();
    await deps.beforeStart();
    rollOutput();
    const sink = openSync(output, 'a', 0o600);
    try {
      // Through a pipe: a file would show the admin endpoint's secret to the sites.
      const child = Bun.spawn([...(deps.user?.prefix ?? []), deps.bin, ...args], {
        env: deps.env,
        // An empty folder: what Caddy serves if a site has no root.
        cwd: empty,
        stdin: 'pipe',
        stdout: sink,
        stderr: sink,
        // In its own process group: Ctrl-C must not reach it in the middle of a publish.
        detached: true,
      });
      child.stdin.write(JSON.stringify(boot));
      await child.stdin.end();
      child.unref();
      try {
        const started = processOf(child.pid);
        if (started === null) throw new Error('the proxy exited immediately');
        record(folder, started);
        return started;
      } catch (error) {
        child.kill('SIGKILL');
        throw error;
      }
    } finally {
      closeSync(sink);
    }
  }

  async function answersWhile(of: Process): Promise<boolean> {
    const until = performance.now() + START_TIMEOUT_MS;
    while (isAlive(of) && performance.now() < until && !stopping) {
      if (await admin.answers().catch(() => false)) return true;
      await Bun.sleep(10);
    }
    return false;
  }

  const isAsWanted = (one: Process): boolean =>
    uidOf(one) === (deps.user?.uid ?? process.getuid?.()) &&
    runsWith(one, { bin: realpathSync(deps.bin), args, env: deps.env });

  /**
   * Keeps a Caddy that outlived a killed agent if we would start it the same way; ends others.
   * @throws Error if it cannot look for them, or ask
   */
  async function adopt(): Promise<Process | null> {
    const left = findCaddies(folder, deps.bin);
    const [one] = left;
    if (left.length === 1 && one && isAsWanted(one) && (await admin.answers())) return one;
    for (const process of left) await end(process, STOP_GRACE_MS);
    return null;
  }

  async function up(): Promise<void> {
    const adopted = await adopt();
    current = adopted ?? (await spawn());
    if (!(await answersWhile(current))) {
      await end(current, 0);
      throw new Error(`the proxy did not start; its output is in ${output}`);
    }
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
      if (polls % ROLL_EVERY_POLLS === 0) rollOutput();
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
      await pause(pace.backoff[Math.min(failures++, pace.backoff.length - 1)] ?? 0);
      if (!stopping) await serve();
    }
  }

  /** Starts Caddy and loads its sites. Never rejects: if that fails, the next poll tries again. */
  async function serve(): Promise<void> {
    try {
      await up();
      await deps.onUp(say);
    } catch (error) {
      current = null;
      say('proxy not started', { reason: String(error) }, 'error');
    }
  }

  return {
    async start() {
      makeFolders();
      await serve();
      watching = watch();
    },

    async restart() {
      restarting = true;
      try {
        if (current) await end(current, RESTART_GRACE_MS);
        await up();
      } finally {
        restarting = false;
      }
    },

    async stop() {
      stopping = true;
      wake();
      await watching;
      if (current) await end(current, STOP_GRACE_MS);
      // One that could not be seen after it was started, for want of a descriptor.
      for (const left of findCaddies(folder, deps.bin)) await end(left, STOP_GRACE_MS);
      log('proxy stopped');
    },

    starts: () => ({ ...starts }),
    pid: () => (current && isAlive(current) ? current.pid : null),
  };
}
