/** Builds the binary. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TARGETS, type Target } from '../../scripts/fetch-parts.ts';
import { limit } from './speed.ts';
import { until } from './stack.ts';

export const ROOT = join(import.meta.dir, '../..');

/** For a build that has to fetch a runtime first, on a machine as fast as the reference. */
const BUILD_MS = 120_000;
/** The same on this machine, for the tests that build. */
export const BUILD_TIMEOUT_MS = limit(BUILD_MS);

/** This machine's target, and one that it can only build. */
export const host = findTarget(`linux-${process.arch}`);
export const foreign = findTarget(process.arch === 'arm64' ? 'linux-x64' : 'linux-arm64');

function findTarget(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  if (!found) throw new Error(`there is no target ${name}`);
  return found;
}

/** `e_machine` of elf(5): EM_X86_64 and EM_AARCH64. */
export const ELF_MACHINE = { x64: 62, arm64: 183 };
export const machineOf = (elf: Buffer): number => elf.readUInt16LE(18);

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
 * The binary for this machine; the files of one run of the suite share what one of them builds.
 * @param folder where it is to be
 * @throws Error if it cannot be built
 */
export async function buildForHere(folder: string): Promise<string> {
  const bundle = process.env.PROGRAM_BUNDLE;
  const outdir = bundle === undefined ? folder : join(bundle, 'dist');
  if (bundle === undefined || mayMake(outdir)) {
    const { code, err } = await build(['--target', host.name, '--outdir', outdir]);
    if (code !== 0 || err !== '') throw new Error(`the build ended with ${code}: ${err}`);
  }
  // The last file of a build.
  const isBuilt = () => existsSync(join(outdir, 'SHA256SUMS'));
  await until(isBuilt, 'the build of another test', BUILD_MS);
  const binary = binaryIn(folder, host);
  if (folder !== outdir) copyFileSync(binaryIn(outdir, host), binary);
  return binary;
}

/** Makes a folder. @returns whether it was not there */
function mayMake(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
