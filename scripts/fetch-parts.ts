/** What a binary for another platform is made of: Bun's runtime and argon2's native half for it. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json';

export type Target = Readonly<{
  name: string;
  /** Bun's own name for it. */
  bun: 'bun-linux-x64' | 'bun-linux-arm64' | 'bun-linux-x64-musl' | 'bun-linux-arm64-musl';
  cpu: 'x64' | 'arm64';
  libc: 'glibc' | 'musl';
  /** The package that holds the runtime. */
  runtime: string;
  /** The file that holds argon2, and the end of its package's name. */
  native: string;
}>;

const target = (cpu: Target['cpu'], libc: Target['libc']): Target => {
  const end = libc === 'musl' ? '-musl' : '';
  return {
    name: `linux-${cpu}${end}`,
    bun: `bun-linux-${cpu}${end}` as Target['bun'],
    cpu,
    libc,
    runtime: `@oven/bun-linux-${cpu === 'arm64' ? 'aarch64' : cpu}${end}`,
    native: `linux-${cpu}-${libc === 'musl' ? 'musl' : 'gnu'}`,
  };
};

/**
 * There is no "baseline" among them: since Bun 1.4 there is one runtime for x64, which needs SSE4.2
 * (2008) and finds out by itself what else the processor has.
 */
export const TARGETS: readonly Target[] = [
  target('x64', 'glibc'),
  target('arm64', 'glibc'),
  target('x64', 'musl'),
  target('arm64', 'musl'),
];

export type Parts = Readonly<{
  /** Bun's runtime, an executable for the target. */
  runtime: string;
  /** Argon2 for the target, a `.node` file. */
  native: string;
}>;

/** The packages cannot be had, most likely for want of a registry. */
export class PartsError extends Error {}

/** The version of Bun that the lockfile names, and every binary holds. */
export const BUN_VERSION: string = manifest.devDependencies.bun;

/**
 * This machine's own parts are among the project's packages. Those of another one are installed
 * beside them, in the versions and with the checksums of `bun.lock`, and kept in `node_modules/.cache`.
 * @param root the project's folder, absolute
 * @throws PartsError where they cannot be had; Error where they are not what the lockfile says
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
  // The second is where the install script of `bun` moves it.
  const places = [join(modules, runtime, 'bin/bun'), join(modules, 'bun/bin/bun.exe')];
  const found = places.find((place) => existsSync(place));
  return found === undefined ? null : { runtime: found, native: file };
}

/** Null for what does not run here. */
async function versionOf(program: string): Promise<string | null> {
  try {
    const child = Bun.spawn([program, '--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
    return (await child.stdout.text()).trim();
  } catch {
    return null;
  }
}

async function install(work: string, lock: string, { name, cpu, libc }: Target): Promise<void> {
  // In the project's own words, or Bun would look for versions anew.
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
      ...[process.execPath, 'install', '--ignore-scripts', '--no-progress'],
      ...[`--cpu=${cpu}`, '--os=linux', `--libc=${libc}`],
    ],
    { cwd: work, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  const [code, said] = await Promise.all([child.exited, child.stderr.text()]);
  if (code !== 0) {
    const ask = 'is the package registry reachable?';
    throw new PartsError(`cannot fetch the packages for ${name}; ${ask}\n${said.trim()}`);
  }
  assertSamePackages(lock, await Bun.file(join(work, 'bun.lock')).text());
}

/** Each line of a package names its version and its checksum. */
function assertSamePackages(lock: string, installed: string): void {
  const known = new Set(lock.split('\n'));
  const strange = installed
    .split('\n')
    .filter((line) => line.includes('sha512-') && !known.has(line));
  if (strange.length > 0) throw new Error(`not what bun.lock says:\n${strange.join('\n')}`);
}
