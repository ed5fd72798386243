/**
 * What the compiled hub costs: bytes on disk, milliseconds from the start to the first healthy answer,
 * memory at rest. For comparison, the same without bytecode and from source.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { binaryIn, build, host } from '../harness/build.ts';
import { runProgram } from '../harness/program.ts';
import { ask, freePort, signUp, temporaryFolder } from '../harness/stack.ts';
import { median, ms, printTable, timed } from './table.ts';

const STARTS = 21;
const MEASURED_FOR_MEMORY = 3;
/** Enough to release what is only needed at the start. */
const SETTLE_MS = 10_000;
const REQUESTS = 1_000;

type Kind = { name: string; binary?: string };
type Memory = { rss: number; own: number };

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
  const rows: string[][] = [];
  for (const [at, kind] of kinds.entries()) {
    const { idle, used } = await measureMemory(kind, folder);
    rows.push([
      kind.name,
      kind.binary === undefined ? '' : mb(Bun.file(kind.binary).size),
      medianAndMax(first[at]),
      medianAndMax(again[at]),
      medianAndMax(version[at]),
      `${mb(idle.rss)}, ${mb(idle.own)}`,
      `${mb(used.rss)}, ${mb(used.own)}`,
    ]);
  }
  console.log(`The hub, ${host.name}: MB; ms to healthy, median and slowest of ${STARTS}`);
  printTable(
    [
      '',
      'size',
      'first start',
      'next start',
      '--version',
      'idle: RSS, own',
      `after ${REQUESTS} requests: RSS, own`,
    ],
    rows,
  );
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

async function measureMemory(kind: Kind, folder: string) {
  const idle: Memory[] = [];
  const used: Memory[] = [];
  for (let round = 0; round < MEASURED_FOR_MEMORY; round++) {
    const cwd = join(folder, `memory-${round}`);
    mkdirSync(cwd);
    const hub = await startHub(kind, cwd);
    await Bun.sleep(SETTLE_MS);
    idle.push(memoryOf(hub.pid));
    const { headers } = await signUp(hub);
    for (let at = 0; at < REQUESTS; at++) await ask(`${hub.hub}/vhosts`, { headers });
    await Bun.sleep(SETTLE_MS);
    used.push(memoryOf(hub.pid));
    await hub.stop();
    rmSync(cwd, { recursive: true });
  }
  const middle = (all: Memory[]): Memory => ({
    rss: median(all.map(({ rss }) => rss)),
    own: median(all.map(({ own }) => own)),
  });
  return { idle: middle(idle), used: middle(used) };
}

/** Bytes, from proc_pid_smaps(5): all resident memory, and what is not shared with other processes. */
function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { rss: field('Rss'), own: field('Private_Clean') + field('Private_Dirty') };
}
