/** Fetches what a binary for another platform is made of: Bun's runtime and argon2's native part. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json';

export type Target = Readonly<{
  name: string;
  /** Bun's name for it. */
  bun: 'bun-linux-x64' | 'bun-linux-arm64';
  cpu: 'x64' | 'arm64';
  /** The package with the runtime. */
  runtime: string;
  /** The platform in the names of argon2's file and package. */
  native: string;
}>;

const target = (cpu: Target['cpu']): Target => ({
  name: `linux-${cpu}`,
  bun: `bun-linux-${cpu}`,
  cpu,
  runtime: `@oven/bun-linux-${cpu === 'arm64' ? 'aarch64' : cpu}`,
  native: `linux-${cpu}-gnu`,
});

/**
 * No "baseline" variants: since Bun 1.4 there is one runtime for x64, which needs SSE4.2 (2008) and
 * detects what else the processor supports.
 */
export const TARGETS: readonly Target[] = [target('x64'), target('arm64')];

export type Parts = Readonly<{
  /** Bun's runtime, an executable for the target. */
  runtime: string;
  /** Argon2 for the target, a `.node` file. */
  native: string;
}>;

/** The packages could not be fetched, most likely because no registry is reachable. */
export class PartsError extends Error {}

/** The version of Bun that package.json names and every binary contains. */
export const BUN_VERSION: string = manifest.devDependencies.bun;

/**
 * The parts for this machine are among the project's packages. Those for another one are installed in
 * `node_modules/.cache`, with the versions and checksums of `bun.lock`.
 * @param root the project's folder, absolute
 * @throws PartsError if they cannot be fetched; Error if they differ from the lockfile
 */
export async function fetchParts(root: string, target: Target): Promise<Parts> {
  const installed = findInstalled(join(root, 'node_modules'), target);
  if (installed !== null && (await versionOf(installed.runtime)) === BUN_VERSION) return installed;

  const file = `argon2.${target.native}.node`;
  const lock = await Bun.file(join(root, 'bun.lock')).text();
  const cache = join(root, 'node_modules/.cache/signalbox-build');
  // Another lockfile may mean other parts.
  const folder = join(cache, `${target.name}-${Bun.hash(lock).toString(16)}`);
  const parts = { runtime: join(folder, 'bun'), native: join(folder, file) };
  if (existsSync(parts.runtime) && existsSync(parts.native)) return parts;

  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'install-'));
  try {
    await install(work, lock, target);
    const modules = join(work, 'node_modules');
    const made = join(work, 'parts');
    mkdirSync(made);
    renameSync(join(modules, target.runtime, 'bin/bun'), join(made, 'bun'));
    renameSync(join(modules, `@node-rs/argon2-${target.native}`, file), join(made, file));
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
    return parts;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function findInstalled(modules: string, { runtime, native }: Target): Parts | null {
  const file = join(modules, `@node-rs/argon2-${native}/argon2.${native}.node`);
  if (!existsSync(file) || !existsSync(join(modules, runtime))) return null;
  // The install script of `bun` moves the runtime to the second path.
  const candidates = [join(modules, runtime, 'bin/bun'), join(modules, 'bun/bin/bun.exe')];
  const found = candidates.find((path) => existsSync(path));
  return found === undefined ? null : { runtime: found, native: file };
}

/** Null if it does not run on this machine. */
async function versionOf(program: string): Promise<string | null> {
  try {
    const child = Bun.spawn([program, '--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
    return (await child.stdout.text()).trim();
  } catch {
    return null;
  }
}

async function install(work: string, lock: string, { name, cpu }: Target): Promise<void> {
  // The ranges of the project's package.json: with others, Bun would resolve versions again.
  const wanted = {
    name: manifest.name,
    dependencies: { '@node-rs/argon2': manifest.dependencies['@node-rs/argon2'] },
    devDependencies: { bun: BUN_VERSION },
    overrides: manifest.overrides,
  };
  await Bun.write(join(work, 'package.json'), JSON.stringify(wanted));
  await Bun.write(join(work, 'bun.lock'), lock);
  const child = Bun.spawn(
    [
      process.execPath,
      'install',
      '--ignore-scripts',
      '--no-progress',
      `--cpu=${cpu}`,
      '--os=linux',
      '--libc=glibc',
    ],
    { cwd: work, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  const [code, errors] = await Promise.all([child.exited, child.stderr.text()]);
  if (code !== 0) {
    const hint = 'is the package registry reachable?';
    throw new PartsError(`cannot fetch the packages for ${name}; ${hint}\n${errors.trim()}`);
  }
  assertSamePackages(lock, await Bun.file(join(work, 'bun.lock')).text());
}

/** In a lockfile, the line of a package has its version and checksum. */
function assertSamePackages(lock: string, installed: string): void {
  const known = new Set(lock.split('\n'));
  const unexpected = installed
    .split('\n')
    .filter((line) => line.includes('sha512-') && !known.has(line));
  if (unexpected.length > 0)
    throw new Error(`packages differ from bun.lock:\n${unexpected.join('\n')}`);
}
