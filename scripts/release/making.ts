/** What every part of a release is made from, and with. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Making = Readonly<{
  /** The project's folder. */
  root: string;
  /** Where the files go; the binaries are there first. */
  out: string;
  version: string;
  /** Seconds since 1970, of everything in it. */
  date: number;
}>;

/** Runs a program. @returns what it prints @throws Error with its complaint if it fails */
export function run(
  command: readonly [string, ...string[]],
  { stdin, env }: { stdin?: Uint8Array; env?: Record<string, string> } = {},
): Buffer {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    ...(stdin && { stdin }),
    env: { ...process.env, LC_ALL: 'C', ...env },
  });
  if (exitCode === 0) return stdout;
  throw new Error(`${command[0]} failed: ${stderr.toString().trim()}`);
}

/** Writes a file below `tree`, with this mode whatever the umask. */
export function place(
  tree: string,
  path: string,
  content: string | Uint8Array,
  mode = 0o644,
): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}
