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
  runsWith,
  uidOf,
} from './processes.ts';
import type { CaddyUser } from './user.ts';

export type SupervisorDeps = {
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
  /** Runs after each start, once the admin endpoint answers: loads what is to be served. */
  onUp: () => Promise<void>;
  log: Log;
};

export type Supervisor = {
  /**
   * Resolves when Caddy answers. If it does not start, logs that and keeps trying.
   * @throws file system errors
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
const BACKOFF_MS = [200, 500, 1_000, 2_000, 5_000, 10_000, 30_000];
/** After running this long it counts as healthy, and the backoff starts over. */
const HEALTHY_AFTER_MS = 60_000;
const POLL_MS = 500;
const ROLL_EVERY_POLLS = 60;
const OUTPUT_ROLL_BYTES = 10 * 1024 * 1024;

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { folder, admin, log } = deps;
  const boot = bootConfig({ listen: admin.address, origins: [admin.secret] });
  const output = join(folder, 'caddy.log');
  const mute = createMuteWatch(admin);
  const empty = join(folder, 'empty');
  let current: Process | null = null;
  let stopping = false;
  let failures = 0;
  let upSince = 0;
  const starts = { started: 0, adopted: 0 };
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

  async function spawn(): Promise<Process> {
    await deps.beforeStart();
    rollOutput();
    const sink = openSync(output, 'a', 0o600);
    try {
      // Through a pipe: a file would show the admin endpoint's secret to the sites.
      const args = ['run', '--config', '-', '--pidfile', pidFileOf(folder)];
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
      const started = processOf(child.pid);
      if (started === null) throw new Error('the proxy exited immediately');
      return started;
    } finally {
      closeSync(sink);
    }
  }

  async function answersWhile(of: Process): Promise<boolean> {
    const until = Date.now() + START_TIMEOUT_MS;
    while (isAlive(of) && Date.now() < until && !stopping) {
      if (await admin.answers()) return true;
      await Bun.sleep(10);
    }
    return false;
  }

  const isAsWanted = (one: Process): boolean =>
    uidOf(one) === (deps.user?.uid ?? process.getuid?.()) &&
    runsWith(one, realpathSync(deps.bin), deps.env);

  /** Keeps a Caddy that outlived a killed agent if we would start it the same way; ends others. */
  async function adopt(): Promise<Process | null> {
    // Earlier versions named this file, and their Caddys let everyone in.
    const former = findCaddies(join(folder, 'boot.json'), deps.bin);
    const left = [...findCaddies(pidFileOf(folder), deps.bin), ...former];
    const [one] = left;
    if (former.length === 0 && left.length === 1 && one && isAsWanted(one)) {
      if (await admin.answers()) return one;
    }
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
    upSince = Date.now();
    mute.reset();
    starts[adopted ? 'adopted' : 'started']++;
    log(adopted ? 'proxy adopted' : 'proxy started', { pid: current.pid });
  }

  /** Waits until the time is over or `wake` is called. */
  const pause = (milliseconds: number): Promise<void> =>
    within(new Promise<void>((resolve) => (wake = resolve)), milliseconds, () => undefined);

  async function watch(): Promise<void> {
    for (let polls = 1; !stopping; polls++) {
      await pause(POLL_MS);
      if (polls % ROLL_EVERY_POLLS === 0) rollOutput();
      if (stopping || restarting) continue;
      if (current && isAlive(current)) {
        if (!mute.isMute()) continue;
        log('proxy mute', { pid: current.pid }, 'warn');
        await end(current, RESTART_GRACE_MS);
      }
      log('proxy ended', {}, 'warn');
      if (Date.now() - upSince > HEALTHY_AFTER_MS) failures = 0;
      await pause(BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)] ?? 0);
      if (!stopping) await serve();
    }
  }

  /** Starts Caddy and loads its sites. Never rejects: if that fails, the next poll tries again. */
  async function serve(): Promise<void> {
    try {
      await up();
      await deps.onUp();
    } catch (error) {
      current = null;
      log('proxy not started', { reason: String(error) }, 'error');
    }
  }

  return {
    async start() {
      for (const path of [empty, join(folder, 'run')]) {
        mkdirSync(path, { recursive: true, mode: 0o700 });
      }
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
      log('proxy stopped');
    },

    starts: () => ({ ...starts }),
    pid: () => (current && isAlive(current) ? current.pid : null),
  };
}
