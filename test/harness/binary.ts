/** The compiled program: building it, and running it with nothing of ours around it. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TARGETS, type Target } from '../../scripts/fetch-parts.ts';
import { runProgram } from './program.ts';

export const ROOT = join(import.meta.dir, '../..');

/** Building, and fetching a runtime where it has never been fetched. In milliseconds. */
export const BUILD_PATIENCE = 120_000;

/** What this machine runs, and what it can only build. */
export const host = findTarget(`linux-${process.arch}`);
export const foreign = findTarget(process.arch === 'arm64' ? 'linux-x64' : 'linux-arm64');

function findTarget(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  if (!found) throw new Error(`no target for ${name}`);
  return found;
}

/** `bun run build` with these words. */
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

/** Where the binary for `target` lies after a build to `outdir`. */
export const binaryIn = (outdir: string, target: Target): string =>
  join(outdir, `signalbox-${target.name}`);

/**
 * Runs a binary where it finds nothing: all it is told is the way to Caddy. Nobody, root included,
 * can write to its home; argon2 goes to a folder that ends with the test.
 */
export function runBinary(
  binary: string,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): ReturnType<typeof runProgram> {
  const temporary = `${cwd}.tmp`;
  mkdirSync(temporary, { recursive: true });
  const bare = {
    PATH: dirname(Bun.which('caddy') ?? ''),
    HOME: '/dev/null/home',
    TMPDIR: temporary,
  };
  return runProgram(args, { ...bare, ...env }, cwd, { binary });
}
