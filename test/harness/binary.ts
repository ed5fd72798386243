/** Runs the binary without anything else of the project around. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Program, runProgram } from './program.ts';

/**
 * Runs a binary in a bare environment, with only Caddy on the PATH. Not even root can write to its
 * home; the binary unpacks argon2 to `cwd.tmp`.
 */
export function runBinary(
  binary: string,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): Program {
  const temporary = `${cwd}.tmp`;
  mkdirSync(temporary, { recursive: true });
  const bare = {
    PATH: dirname(Bun.which('caddy') ?? ''),
    HOME: '/dev/null/home',
    TMPDIR: temporary,
  };
  return runProgram(args, { ...bare, ...env }, cwd, { binary });
}
