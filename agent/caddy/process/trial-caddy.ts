/** A Caddy that lives for one trial, in a folder that goes away with it. */
import { existsSync, lchownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tail } from '../../../src/shared/bounded.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import type { CommandDeps } from '../config/adapt.ts';
import { limitMemory } from '../config/adapt.ts';
import { lastErrorOf, rejected } from '../words.ts';
import { end, findCaddies, pidFileOf } from './processes.ts';
import type { CaddyUser } from './user.ts';

export type TrialCaddyDeps = {
  /** How Caddy is run for a validation. */
  commands: CommandDeps;
  /** Caddy's user; null: that of the agent. */
  user: CaddyUser | null;
};

export type TrialCaddy = {
  readonly pid: number;
  /**
   * Waits until a condition holds, as long as the Caddy runs.
   * @param isOpen whether it answers where it is to be asked
   * @throws Failure PROXY_REJECTED if it ends; the reason of the signal
   */
  until(isOpen: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<void>;
  /** Kills it, and removes its folder. @returns the end of what it wrote to its log */
  end(): Promise<string>;
};

/** How a trial is run besides. */
type Options = {
  /** Bytes of memory that it may use. */
  memory: number;
  /** The names for which its own authority signs certificates, as certmagic spells them in paths. */
  names: readonly string[];
  /** What its command line starts with, such as `nice`. */
  before?: readonly string[];
  env?: Record<string, string>;
};

const POLL_MS = 10;

/** Where Caddy keeps the certificates of its own authority. */
const SIGNED = 'caddy/certificates/local';

/**
 * @param config without an admin endpoint, and with a storage of its own by its environment
 * @throws file system errors, and if the program is missing
 */
export function startTrialCaddy(
  folder: string,
  config: JsonObject,
  { commands, user }: TrialCaddyDeps,
  { memory, names, before = [], env = {} }: Options,
): TrialCaddy {
  const empty = join(folder, 'empty');
  const signed = names.map((name) => `${SIGNED}/${name}`);
  const folders = ['run', 'caddy', 'caddy/certificates', SIGNED, ...signed].map((path) =>
    join(folder, path),
  );
  for (const path of [empty, ...folders]) mkdirSync(path, { recursive: true, mode: 0o700 });
  // When it starts, Caddy cleans its storage (2.6.2 to 2.11.4). A folder that is empty just then would be
  // removed, and it would be a minute before the certificate that is to be in it is made again.
  for (const path of signed) writeFileSync(join(folder, path, 'kept'), '');
  if (user) for (const path of [folder, ...folders]) lchownSync(path, user.uid, user.gid);
  const args = ['run', '--config', '-', '--pidfile', pidFileOf(folder)];
  const child = Bun.spawn([...commands.prefix, ...before, commands.bin, ...args], {
    env: { ...commands.env, ...env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    // What Caddy serves if a site has no root.
    cwd: empty,
    // Through a pipe: a file would show the sites' secrets.
    stdin: new Blob([JSON.stringify(config)]),
    stdout: 'ignore',
    stderr: 'pipe',
  });
  limitMemory(child.pid, memory);
  const output = tail(child.stderr);
  return {
    pid: child.pid,
    async until(isOpen, signal) {
      while (!(await isOpen())) {
        signal.throwIfAborted();
        if (child.exitCode !== null || child.signalCode !== null)
          throw rejected(lastErrorOf(await output));
        await Bun.sleep(POLL_MS);
      }
    },
    async end() {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
      return await output;
    },
  };
}

/** Ends what a killed agent left behind in these folders. @throws file system errors */
export async function endTrialsIn(folders: readonly string[], bin: string): Promise<void> {
  for (const folder of folders.filter((one) => existsSync(one))) {
    for (const left of findCaddies(folder, bin)) await end(left, 0);
    rmSync(folder, { recursive: true, force: true });
  }
}
