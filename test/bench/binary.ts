/**
 * What the compiled hub costs: bytes on disk, milliseconds from the start to the first healthy answer. For
 * comparison, the same without bytecode and from source.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { binaryIn, build, host } from '../harness/build.ts';
import { runProgram } from '../harness/program.ts';
import { freePort, temporaryFolder } from '../harness/stack.ts';
import { median, ms, printTable, timed } from './table.ts';

const STARTS = 21;

type Kind = { name: string; binary?: string };

export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const kinds: Kind[] = [
    { name: 'binary', binary: await makeBinary(join(folder, 'bytecode'), []) },
    {
      name: 'without bytecode',
      binary: await makeBinary(join(folder, 'plain'), ['--no-bytecode']),
    },
    { name: 'from source' },
  ];
  const first = kinds.map((): number[] => []);
  const again = kinds.map((): number[] => []);
  const version = kinds.map((): number[] => []);
  // In turns, so that other load on the machine affects all kinds alike.
  for (let round = 0; round < STARTS; round++) {
    for (const [at, kind] of kinds.entries()) {
      const cwd = join(folder, `${at}-${round}`);
      mkdirSync(cwd);
      for (const times of [first, again]) {
        const hub = await startHub(kind, cwd);
        times[at]?.push(hub.took);
        await hub.stop();
      }
      version[at]?.push(await timed(() => runProgram(['--version'], {}, cwd, kind).exited()));
      rmSync(cwd, { recursive: true });
    }
  }
  const rows = kinds.map(({ name, binary }, at) => [
    name,
    binary === undefined ? '' : mb(Bun.file(binary).size),
    ...[first, again, version].map((times) => medianAndMax(times[at])),
  ]);
  console.log(`The hub, ${host.name}: MB; ms to healthy, median and slowest of ${STARTS}`);
  printTable(['', 'size', 'first start', 'next start', '--version'], rows);
  rmSync(folder, { recursive: true });
}

export const mb = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0);
const medianAndMax = (times: readonly number[] = []): string =>
  `${ms(median(times))}, ${ms(Math.max(...times))}`;

export async function makeBinary(outdir: string, words: string[]): Promise<string> {
  const { code, err } = await build(['--target', host.name, '--outdir', outdir, ...words]);
  if (code !== 0) throw new Error(err);
  return binaryIn(outdir, host);
}

const startHub = (kind: Kind, cwd: string) =>
  startProgram(kind, cwd, ['hub'], { AGENT_TOKEN: 'x'.repeat(32), HUB_PORT: String(freePort()) });

export type Running = Awaited<ReturnType<typeof startProgram>>;

/** @param of whose health it waits for: a name in `env` */
export async function startProgram(
  kind: Kind,
  cwd: string,
  words: string[],
  env: Record<string, string>,
  of = 'HUB_PORT',
) {
  const origin = `http://127.0.0.1:${env[of]}`;
  const from = performance.now();
  const { child, exited } = runProgram(words, env, cwd, kind);
  while (!(await isHealthy(of === 'HUB_PORT' ? `${origin}/api` : origin))) {
    if (child.exitCode !== null) throw new Error(`it exited: ${(await exited()).err}`);
    await Bun.sleep(1);
  }
  return {
    hub: `${origin}/api`,
    pid: child.pid,
    took: performance.now() - from,
    async stop() {
      child.kill();
      await exited();
    },
  };
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    (answer) => answer.ok,
    () => false,
  );
