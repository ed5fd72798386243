/**
 * What the compiled program keeps in memory: hub and agent in one process, an agent alone, and the former with many
 * sites: once they were published, once a dashboard has read them, and after a restart. Caddy does not count.
 * BENCH_VHOSTS sets how many sites, BENCH_QUIET how many seconds pass before each look, BENCH_ROUNDS how many
 * processes of each kind are looked at, BENCH_BINARY another binary to measure.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask, freePort, signUp, temporaryFolder } from '../harness/stack.ts';
import { makeBinary, mb, type Running, startProgram } from './binary.ts';
import { addSites } from './sites.ts';
import { median, printTable } from './table.ts';

const SITES = Number(process.env.BENCH_VHOSTS ?? 10_000);
const QUIET_MS = 1_000 * Number(process.env.BENCH_QUIET ?? 60);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** As the list of sites in the dashboard asks. */
const READ = ['/status', '/vhosts', '/vhosts/state', '/vhosts/activity', '/vhosts/uptime'];

export type Look = { rss: number; anon: number; file: number };

export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const binary = process.env.BENCH_BINARY ?? (await makeBinary(join(folder, 'bin'), []));
  const looks = new Map<string, Look[]>();
  for (let round = 0; round < ROUNDS; round++) {
    const cwd = join(folder, String(round));
    mkdirSync(cwd);
    await measure(binary, cwd, (name, pid) => {
      const all = looks.get(name) ?? [];
      looks.set(name, [...all, lookAt(pid)]);
    });
    rmSync(cwd, { recursive: true });
  }
  console.log(`MB after ${QUIET_MS / 1_000} s without a request, medians of ${ROUNDS}`);
  printTable(
    ['', 'RSS', 'RssAnon', 'RssFile'],
    [...looks].map(([name, all]) => [
      name,
      ...(['rss', 'anon', 'file'] as const).map((of) => mb(median(all.map((one) => one[of])))),
    ]),
  );
  rmSync(folder, { recursive: true });
}

/** Starts hub and agent in one process, or only one of them, on free ports and with its data in `cwd`. */
export function startRole(
  binary: string,
  cwd: string,
  role: 'hub' | 'agent' | null,
  more: Record<string, string> = {},
): Promise<Running> {
  const ports = ['HUB_PORT', 'AGENT_PORT', 'PROXY_HTTP_PORT', 'PROXY_HTTPS_PORT'];
  const env = Object.fromEntries(ports.map((name) => [name, String(freePort())]));
  const data = { HOME: cwd, DATA_DIR: join(cwd, `data-${role}`) };
  const own = {
    AGENT_TOKEN: 'x'.repeat(32),
    PROXY_MANAGED: 'true',
    PROXYFILE: join(cwd, 'Caddyfile'),
    ACCESS_LOG: join(cwd, 'access.log'),
  };
  const settings = { ...env, ...data, ...(role !== null && own), ...more };
  const port = role === 'agent' ? 'AGENT_PORT' : 'HUB_PORT';
  return startProgram({ name: '', binary }, cwd, role === null ? [] : [role], settings, port);
}

async function measure(binary: string, cwd: string, note: (name: string, pid: number) => void) {
  const quiet = async (name: string, { pid }: Running) => {
    await Bun.sleep(QUIET_MS);
    note(name, pid);
  };
  const agent = await startRole(binary, cwd, 'agent');
  await quiet('agent alone', agent);
  await agent.stop();
  const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('up') });
  let box = await startRole(binary, cwd, null);
  await quiet('hub and agent', box);
  const { headers } = await signUp(box);
  const config = 'encode gzip\nreverse_proxy {upstream}';
  await addSites({ hub: box.hub, headers }, SITES, {
    config,
    upstream: `127.0.0.1:${upstream.port}`,
  });
  await quiet(`${SITES} sites, published`, box);
  for (const path of READ) await ask(`${box.hub}${path}`, { headers });
  await quiet('and read by a dashboard', box);
  await box.stop();
  box = await startRole(binary, cwd, null);
  await quiet('and restarted', box);
  for (const path of READ) await ask(`${box.hub}${path}`, { headers });
  await quiet('and read again', box);
  await box.stop();
  await upstream.stop(true);
}

/** Bytes, from proc_pid_status(5). */
export function lookAt(pid: number): Look {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { rss: field('VmRSS'), anon: field('RssAnon'), file: field('RssFile') };
}
