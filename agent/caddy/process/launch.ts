/** Starts a Caddy that knows nothing but its admin endpoint, or adopts one that outlived its agent. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Admin } from '../admin.ts';
import { bootConfig } from '../config/patch.ts';
import type { KeptProgram } from './kept-program.ts';
import {
  end,
  findCaddies,
  type Process,
  pidFileOf,
  processOf,
  record,
  runsWith,
  uidOf,
  workingFolderOf,
} from './processes.ts';
import type { CaddyUser } from './user.ts';

export type LaunchDeps = {
  /** Caddy's program. */
  program: Pick<KeptProgram, 'bin' | 'files' | 'started'>;
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
};

type Launch = {
  /** The file that Caddy writes to. */
  readonly output: string;
  /** Keeps that file from growing. */
  rollOutput(): void;
  /** @throws Error if the process does not start */
  spawn(): Promise<Process>;
  /**
   * Keeps the Caddy that outlived a killed agent if we would start it the same way; otherwise ends all that there are.
   * @throws Error if it cannot look for them, or ask
   */
  adopt(): Promise<Process | null>;
  /** Ends every Caddy of the folder. @throws Error if it cannot look for them */
  endAll(): Promise<void>;
};

/** Open requests may finish; a websocket never would. */
export const STOP_GRACE_MS = 5_000;
const OUTPUT_ROLL_BYTES = 10 * 1024 * 1024;

export function createLaunch(deps: LaunchDeps): Launch {
  const { folder, admin } = deps;
  const output = join(folder, 'caddy.log');
  const empty = workingFolderOf(folder);
  const args = ['run', '--config', '-', '--pidfile', pidFileOf(folder)];

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

  /** Before each start, because a cleaner may have removed them. @throws file system errors; as `prepare` */
  function makeFolders(): void {
    for (const path of [empty, join(folder, 'run')]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    }
    deps.prepare();
  }

  async function spawn(): Promise<Process> {
    const bin = deps.program.bin();
    // With a user of its own, the program that would say so is another one.
    if (Bun.which(bin, { PATH: deps.env.PATH ?? '' }) === null) {
      throw new Error(`there is no program at ${bin}`);
    }
    makeFolders();
    await deps.beforeStart();
    rollOutput();
    const { address, secret } = admin;
    const boot = bootConfig({ listen: address, origins: [secret] });
    const sink = openSync(output, 'a', 0o600);
    try {
      // Through a pipe: a file would show the admin endpoint's secret to the sites.
      const child = Bun.spawn([...(deps.user?.prefix ?? []), bin, ...args], {
        env: deps.env,
        cwd: empty,
        stdin: 'pipe',
        stdout: sink,
        stderr: sink,
        // In its own process group: Ctrl-C must not reach it in the middle of a publish.
        detached: true,
      });
      child.unref();
      try {
        try {
          child.stdin.write(JSON.stringify(boot));
          await child.stdin.end();
        } catch {
          throw new Error('the proxy exited immediately');
        }
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

  /** The file that it was started from, if all else is as we would start it. */
  function fileOfWanted(one: Process): string | undefined {
    if (uidOf(one) !== (deps.user?.uid ?? process.getuid?.())) return undefined;
    const { env } = deps;
    return deps.program
      .files()
      .find((file) => existsSync(file) && runsWith(one, { bin: realpathSync(file), args, env }));
  }

  async function adopt(): Promise<Process | null> {
    const left = findCaddies(folder, deps.program.bin());
    const [one] = left;
    const file = one && left.length === 1 ? fileOfWanted(one) : undefined;
    if (one && file !== undefined && (await admin.answers())) {
      record(folder, one);
      deps.program.started(file);
      return one;
    }
    await endAll(left);
    return null;
  }

  async function endAll(left = findCaddies(folder, deps.program.bin())): Promise<void> {
    await Promise.all(left.map((process) => end(process, STOP_GRACE_MS)));
  }

  return { output, rollOutput, spawn, adopt, endAll: () => endAll() };
}
