/** Builds the binary. */
import { join } from 'node:path';
import { TARGETS, type Target } from '../../scripts/fetch-parts.ts';

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
