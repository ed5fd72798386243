// proof: packages
/** The build: same source, same bytes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { fetchParts, PartsError } from '../../scripts/fetch-parts.ts';
import {
  BUILD_TIMEOUT_MS,
  binaryIn,
  build,
  ELF_MACHINE,
  foreign,
  host,
  machineOf,
  ROOT,
} from '../harness/build.ts';
import { temporaryFolder } from '../harness/stack.ts';

const folder = temporaryFolder();
const dist = join(folder, 'dist');
const binary = binaryIn(dist, host);

const isRootFile = (name: string): boolean => /\.(json|lock|toml)$/.test(name);
const bytesOf = async (file: string): Promise<Buffer> => Buffer.from(await Bun.file(file).bytes());

/** Without a commit in it, as in a copy of the folder. */
const NO_GIT = { GIT_DIR: '/nowhere' };

beforeAll(async () => {
  const built = await build(['--target', host.name, '--outdir', dist], ROOT, NO_GIT);
  expect([built.code, built.err]).toEqual([0, '']);
  expect(built.out).toStartWith(`signalbox ${manifest.version}\n`);
}, BUILD_TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('refuses an unknown target, and lists the known ones', async () => {
  const outdir = join(folder, 'none');
  const { code, err } = await build(['--target', 'linux-sparc', '--outdir', outdir]);
  expect(code).toBe(1);
  expect(err).toContain('linux-x64, linux-arm64');
  expect(existsSync(outdir)).toBe(false);
});

test('leaves only the binary and its checksum', async () => {
  expect(readdirSync(dist).toSorted()).toEqual(['SHA256SUMS', `signalbox-${host.name}`]);
  const check = Bun.spawnSync(['sha256sum', '-c', 'SHA256SUMS'], { cwd: dist });
  expect(check.stdout.toString()).toBe(`signalbox-${host.name}: OK\n`);
});

test(
  'builds the same bytes in another folder and without git',
  async () => {
    const other = join(folder, 'somewhere else', 'copy');
    for (const name of [
      'scripts',
      'src',
      'agent',
      'docs',
      ...readdirSync(ROOT).filter(isRootFile),
    ]) {
      cpSync(join(ROOT, name), join(other, name), { recursive: true });
    }
    // Linked if possible: the packages take hundreds of megabytes.
    const packages = [join(ROOT, 'node_modules'), other];
    const linked = Bun.spawnSync(['cp', '-al', ...packages], { stderr: 'ignore' });
    if (!linked.success) Bun.spawnSync(['cp', '-a', ...packages]);
    const { code } = await build(['--target', host.name], other, NO_GIT);
    expect(code).toBe(0);
    const sums = (at: string) => Bun.file(join(at, 'SHA256SUMS')).text();
    expect(await sums(join(other, 'dist'))).toBe(await sums(dist));
  },
  BUILD_TIMEOUT_MS,
);

// A cross build needs the other platform's packages; without a network they may be missing.
const parts = await fetchParts(ROOT, foreign).catch((error) => {
  if (error instanceof PartsError) return error;
  throw error;
});
if (parts instanceof Error) console.warn(`NOT TESTED, the build for ${foreign.name}: ${parts}`);

test.skipIf(parts instanceof Error)(
  `for ${foreign.name} contains only that platform's code`,
  async () => {
    const outdir = join(folder, 'foreign');
    // Bytecode takes a while, and is nothing of a platform's own.
    const words = ['--target', foreign.name, '--outdir', outdir, '--no-bytecode'];
    const built = await build(words);
    expect([built.code, built.err]).toEqual([0, '']);
    const own = await fetchParts(ROOT, host);
    if (parts instanceof Error) throw parts;
    const natives = await Promise.all([own.native, parts.native].map(bytesOf));
    const both = await Promise.all([bytesOf(binary), bytesOf(binaryIn(outdir, foreign))]);
    expect(both.map((bytes) => natives.map((native) => bytes.includes(native)))).toEqual([
      [true, false],
      [false, true],
    ]);
    const expected = [host, foreign].map(({ cpu }) => ELF_MACHINE[cpu]);
    expect(both.map(machineOf)).toEqual(expected);
    expect(natives.map(machineOf)).toEqual(expected);
  },
  BUILD_TIMEOUT_MS,
);
