/** Keeps one Caddy running: starts it, adopts one that outlived its agent, restarts it, ends it. */
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
import { writeDurably } from '../../src/shared/files.ts';
import type { Log } from '../../src/shared/observe/log.ts';
import type { Admin } from './admin.ts';
import { end, findByArgument, isAlive, type Process, processOf, runsWith } from './processes.ts';

export type SupervisorDeps = {
  bin: string;
  /** The folder for its socket, boot configuration, output and storage; mode 0700. */
  folder: string;
  /** All the environment it gets. */
  env: Record<string, string>;
  admin: Admin;
  /** Runs after a start, when the admin endpoint answers: loads what is to be served. */
  onUp: () => Promise<void>;
  log: Log;
};

export type Supervisor = ReturnType<typeof createSupervisor>;

/** Caddy answers within 100 ms on two cores; a Raspberry Pi with a cold disk takes seconds. */
const START_DEADLINE_MS = 15_000;
/** Requests under way may finish; a websocket never would. */
const STOP_PATIENCE_MS = 5_000;
/** Every site waits meanwhile. */
const RESTART_PATIENCE_MS = 500;
const BACKOFF_MS = [200, 500, 1_000, 2_000, 5_000, 10_000, 30_000];
/** Having run this long, it counts as healthy and the backoff starts over. */
const STEADY_MS = 60_000;
const LOOK_MS = 500;
const OUTPUT_ROLL_BYTES = 10 * 1024 * 1024;

export function createSupervisor(deps: SupervisorDeps) {
  const { folder, admin, log } = deps;
  const boot = join(folder, 'boot.json');
  const output = join(folder, 'caddy.log');
  let current: Process | null = null;
  let stopping = false;
  let failures = 0;
  let upSince = 0;
  const starts = { started: 0, adopted: 0 };
  let restarting = false;
  let watching: Promise<void> = Promise.resolve();
  let wake = () => {};

  /** Caddy's output goes to a file: a pipe would kill it when the agent dies. */
  function rollOutput(): void {
    try {
      if (statSync(output).size < OUTPUT_ROLL_BYTES) return;
      copyFileSync(output, `${output}.1`);
      truncateSync(output);
    } catch {
      // Not there yet.
    }
  }

  function spawn(): Process {
    rollOutput();
    const sink = openSync(output, 'a', 0o600);
    try {
      const child = Bun.spawn([deps.bin, 'run', '--config', boot], {
        env: deps.env,
        cwd: folder,
        stdin: 'ignore',
        stdout: sink,
        stderr: sink,
        // A process group of its own: Ctrl-C must not reach it in the middle of a publish.
        detached: true,
      });
      child.unref();
      const started = processOf(child.pid);
      if (started === null) throw new Error('the proxy ended at once');
      return started;
    } finally {
      closeSync(sink);
    }
  }

  async function answersWhile(of: Process): Promise<boolean> {
    const until = Date.now() + START_DEADLINE_MS;
    while (isAlive(of) && Date.now() < until && !stopping) {
      if (await admin.answers()) return true;
      await Bun.sleep(10);
    }
    return false;
  }

  /** One that outlived a killed agent: kept when it is as we would start it, else ended. */
  async function adopt(): Promise<Process | null> {
    const left = findByArgument(boot);
    const [one] = left;
    if (left.length === 1 && one && runsWith(one, realpathSync(deps.bin), deps.env)) {
      if (await admin.answers()) return one;
    }
    for (const process of left) await end(process, STOP_PATIENCE_MS);
    return null;
  }

  async function up(): Promise<void> {
    const adopted = await adopt();
    current = adopted ?? spawn();
    if (!(await answersWhile(current))) {
      await end(current, 0);
      throw new Error(`the proxy did not start; its output is in ${output}`);
    }
    upSince = Date.now();
    starts[adopted ? 'adopted' : 'started']++;
    log(adopted ? 'proxy adopted' : 'proxy started', { pid: current.pid });
  }

  async function pause(milliseconds: number): Promise<void> {
    await Promise.race([Bun.sleep(milliseconds), new Promise<void>((resolve) => (wake = resolve))]);
  }

  async function watch(): Promise<void> {
    for (let looks = 1; !stopping; looks++) {
      await pause(LOOK_MS);
      if (looks % 60 === 0) rollOutput();
      if (stopping || restarting || (current && isAlive(current))) continue;
      log('proxy ended', {}, 'warn');
      if (Date.now() - upSince > STEADY_MS) failures = 0;
      await tryAgain();
    }
  }

  async function tryAgain(): Promise<void> {
    await pause(BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)] ?? 0);
    if (stopping) return;
    try {
      await up();
      await deps.onUp();
    } catch (error) {
      current = null;
      log('proxy not started', { reason: String(error) }, 'error');
    }
  }

  return {
    /** Resolves when Caddy answers; where it does not start, goes on trying and says so in the log. */
    async start(): Promise<void> {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeDurably(boot, JSON.stringify({ admin: { listen: admin.address } }), 0o600);
      try {
        await up();
        await deps.onUp();
      } catch (error) {
        log('proxy not started', { reason: String(error) }, 'error');
      }
      watching = watch();
    },

    /** Ends Caddy and starts it with nothing but its admin endpoint. @throws Error */
    async restart(): Promise<void> {
      restarting = true;
      try {
        if (current) await end(current, RESTART_PATIENCE_MS);
        await up();
      } finally {
        restarting = false;
      }
    },

    /** Ends Caddy and waits for it. */
    async stop(): Promise<void> {
      stopping = true;
      wake();
      await watching;
      if (current) await end(current, STOP_PATIENCE_MS);
      log('proxy stopped');
    },

    /** How often a proxy has come up. */
    starts: () => ({ ...starts }),

    pid: (): number | null => (current && isAlive(current) ? current.pid : null),
  };
}
