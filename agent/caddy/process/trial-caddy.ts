/**
 * Caddys that visitors do not reach. Each serves a configuration for the time of one job, on addresses of loopback,
 * in a folder that goes away with it.
 */
import { existsSync, lchownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tail } from '../../../src/shared/bounded.ts';
import { Failure } from '../../../src/shared/failure.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { type CommandDeps, limitMemory } from '../config/adapt.ts';
import { listenersOf } from '../ports/ports.ts';
import { isListening } from '../ports/sockets.ts';
import { lastErrorOf, rejected } from '../words.ts';
import { end, findCaddies, pidFileOf } from './processes.ts';
import type { CaddyUser } from './user.ts';

type TrialCaddy = {
  /**
   * Waits until a condition holds.
   * @throws Failure PROXY_REJECTED if Caddy ends before; the reason of the job's signal
   */
  until(holds: () => boolean | Promise<boolean>): Promise<void>;
  /** Kills it, and removes its folder; also when the job is over. @returns the end of what it wrote to its log */
  end(): Promise<string>;
};

/** What a Caddy serves, and what it may use. */
type Scene = {
  /** All listeners have addresses of their own on IPv4's loopback. */
  apps: JsonObject;
  /** As in Caddy's JSON; by default its folder. */
  storage?: JsonObject;
  /** Bytes of memory. */
  memory: number;
  /** The names for which its own authority signs certificates, as certmagic spells them in paths. */
  names?: readonly string[];
  /** How it is run; by default as the Caddy that validates. */
  commands?: CommandDeps | undefined;
  /** What its command line starts with, such as `nice`, and variables for it. */
  before?: readonly string[];
  env?: Record<string, string>;
};

/**
 * Starts one, and waits until all its listeners are open.
 * @throws Failure PROXY_REJECTED if it ends before, PROXY_UNREACHABLE if that takes too long; the reason of the job's
 * signal; file system errors, and if the program is missing
 */
export type StartTrial = (scene: Scene) => Promise<TrialCaddy>;

export type TrialCaddies = {
  /**
   * Runs a job, and ends every Caddy that it has started.
   * @param signal aborted when nobody waits for the job any more; the job gets one that is aborted as well once the
   * agent stops
   * @throws as the job; Failure STOPPING
   */
  run<T>(
    job: (start: StartTrial, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Ends what a killed agent left behind. @throws file system errors */
  begin(): Promise<void>;
  /** Ends all jobs; there are no others from then on. */
  end(): Promise<void>;
};

const POLL_MS = 10;
/** How long one may take to start, in milliseconds: 10,000 sites take 2 s. */
const START_MS = 20_000;
/** Their folders, beside that of validations. */
const FOLDER = /^trial-\d+$/;
/** Where Caddy keeps the certificates of its own authority. */
const SIGNED = 'caddy/certificates/local';

/** @param commands how Caddy is run for a validation @param user Caddy's; null: that of the agent */
export function createTrialCaddies(commands: CommandDeps, user: CaddyUser | null): TrialCaddies {
  const home = dirname(commands.env.XDG_DATA_HOME);
  const closing = new AbortController();
  const jobs = new Set<Promise<unknown>>();
  const used = new Set<number>();

  function folderOf(number: number, names: readonly string[]): string {
    const folder = join(home, `trial-${number}`);
    const signed = names.map((name) => `${SIGNED}/${name}`);
    const folders = ['run', 'caddy', 'caddy/certificates', SIGNED, ...signed].map((path) =>
      join(folder, path),
    );
    for (const path of [join(folder, 'empty'), ...folders]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    }
    // When it starts, Caddy cleans its storage (2.6.2 to 2.11.4). A folder that is empty just then would be
    // removed, and it would be a minute before the certificate that is to be in it is made again.
    for (const path of signed) writeFileSync(join(folder, path, 'kept'), '');
    if (user) for (const path of [folder, ...folders]) lchownSync(path, user.uid, user.gid);
    return folder;
  }

  function launch({ apps, storage, memory, names = [], before = [], env = {}, ...scene }: Scene) {
    let number = 1;
    while (used.has(number)) number++;
    used.add(number);
    const folder = folderOf(number, names);
    const { prefix, bin, env: own } = scene.commands ?? commands;
    const config = {
      admin: { disabled: true, config: { persist: false } },
      logging: { logs: { default: { writer: { output: 'stderr' }, level: 'ERROR' } } },
      ...(storage && { storage }),
      apps,
    };
    const args = ['run', '--config', '-', '--pidfile', pidFileOf(folder)];
    const child = Bun.spawn([...prefix, ...before, bin, ...args], {
      env: { ...own, ...env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      // What Caddy serves if a site has no root.
      cwd: join(folder, 'empty'),
      // Through a pipe: a file would show the sites' secrets.
      stdin: new Blob([JSON.stringify(config)]),
      stdout: 'ignore',
      stderr: 'pipe',
    });
    limitMemory(child.pid, memory);
    const output = tail(child.stderr);
    async function kill(): Promise<string> {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
      used.delete(number);
      return await output;
    }
    let ended: Promise<string> | undefined;
    return {
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      output,
      end() {
        ended ??= kill();
        return ended;
      },
    };
  }

  async function run<T>(
    job: (start: StartTrial, signal: AbortSignal) => Promise<T>,
    given: AbortSignal,
  ): Promise<T> {
    const signal = AbortSignal.any([given, closing.signal]);
    signal.throwIfAborted();
    const started: ReturnType<typeof launch>[] = [];

    const start: StartTrial = async (scene) => {
      signal.throwIfAborted();
      const caddy = launch(scene);
      started.push(caddy);
      const until: TrialCaddy['until'] = async (holds) => {
        while (!(await holds())) {
          signal.throwIfAborted();
          if (caddy.hasEnded()) throw rejected(lastErrorOf(await caddy.output));
          await Bun.sleep(POLL_MS);
        }
      };
      const late = performance.now() + START_MS;
      const listeners = listenersOf({ apps: scene.apps });
      await until(() => {
        const closed = listeners.find(({ host, port }) => !isListening(host, port));
        if (closed && performance.now() > late) {
          throw new Failure('PROXY_UNREACHABLE', `It does not open port ${closed.port}.`);
        }
        return closed === undefined;
      });
      return { until, end: caddy.end };
    };

    try {
      return await job(start, signal);
    } finally {
      await Promise.all(started.map((caddy) => caddy.end()));
    }
  }

  return {
    run(job, signal) {
      const running = run(job, signal);
      jobs.add(running);
      return running.finally(() => jobs.delete(running));
    },

    async begin() {
      const names = existsSync(home) ? readdirSync(home) : [];
      for (const name of names.filter((one) => FOLDER.test(one))) {
        const folder = join(home, name);
        for (const left of findCaddies(folder, commands.bin)) await end(left, 0);
        rmSync(folder, { recursive: true, force: true });
      }
    },

    async end() {
      closing.abort(new Failure('STOPPING', 'The agent is stopping.'));
      await Promise.allSettled(jobs);
    },
  };
}
