/** Builds the binary, and runs it without anything else of the project around. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TARGETS, type Target } from '../../scripts/fetch-parts.ts';
import { type Program, runProgram } from './program.ts';

export const ROOT = join(import.meta.dir, '../..');

/** Milliseconds: for a build that has to fetch a runtime first. */
export const BUILD_TIMEOUT_MS = 120_000;

/** This machine's target, and one that it can only build. */
export const host = findTarget(`linux-${process.arch}`);
export const foreign = findTarget(process.arch === 'arm64' ? 'linux-x64' : 'linux-arm64');

function findTarget(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  if (!found) throw new Error(`there is no target ${name}`);
  return found;
}

/** `bun run build` with these arguments. */
export async function build(words: string[], root = ROOT, env: Record<string, string> = {}) {
  const child = Bun.spawn(['sh', 'scripts/with-bun', 'scripts/build.ts', ...words], {
    cwd: root,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

/** The path of the binary for `target` after a build to `outdir`. */
export const binaryIn = (outdir: string, target: Target): string =>
  join(outdir, `signalbox-${target.name}`);

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
