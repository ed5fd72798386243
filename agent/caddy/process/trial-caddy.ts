/** A Caddy that lives for one trial, in a folder that goes away with it. */
import { existsSync, lchownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/shared/json.ts';
import { limitMemory } from '../config/adapt.ts';
import type { ValidatorDeps } from '../config/validate.ts';
import { end, findCaddies, pidFileOf } from './processes.ts';
import type { CaddyUser } from './user.ts';

export type TrialCaddyDeps = {
  /** How Caddy is run for a validation. */
  commands: ValidatorDeps;
  /** Caddy's user; null: that of the agent. */
  user: CaddyUser | null;
};

export type TrialCaddy = {
  child: Bun.Subprocess<Blob, 'ignore', 'pipe'>;
  /** Kills it, and removes its folder. */
  end(): Promise<void>;
};

/**
 * @param config without an admin endpoint, and with a storage of its own by its environment
 * @param memory bytes that it may use
 * @param before what its command line starts with besides, such as `nice`
 * @throws file system errors, and if the program is missing
 */
export function startTrialCaddy(
  folder: string,
  config: JsonObject,
  memory: number,
  { commands, user }: TrialCaddyDeps,
  { before = [], env = {} }: { before?: readonly string[]; env?: Record<string, string> } = {},
): TrialCaddy {
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true, mode: 0o700 });
  if (user) lchownSync(folder, user.uid, user.gid);
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
  return {
    child,
    async end() {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
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
