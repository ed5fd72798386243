/**
 * What the compiled program keeps in memory after a day at home, which passes in a few minutes: 26 sites with a
 * check, 1,700 requests to them, and a dashboard that asks 2,400 times; once as one process, and once as a hub and
 * an agent. BENCH_QUIET sets how many seconds pass before the look, BENCH_BINARY another binary to measure.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask, freePort, signUp, temporaryFolder } from '../harness/stack.ts';
import { words } from '../harness/words.ts';
import { makeBinary, mb, type Running } from './binary.ts';
import { type Look, lookAt, startRole } from './memory.ts';
import { printTable } from './table.ts';

const SITES = 26;
const REQUESTS = 1_700;
const ROUNDS = 200;
const QUIET_MS = 1_000 * Number(process.env.BENCH_QUIET ?? 60);
/** What a dashboard asks for as somebody goes through its pages. */
const PAGES = words(`
  /status /vhosts /vhosts/state /vhosts/activity /vhosts/uptime /summary /changelog?grouped=true
  /logs?pageSize=50 /logs/stats /incidents /certificates /agents
`);

export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const binary = process.env.BENCH_BINARY ?? (await makeBinary(join(folder, 'bin'), []));
  const looks: [string, Look][] = [];
  const home = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  /** @returns what each process keeps @param parts the one that has the hub first */
  async function live(names: string[], parts: Running[], httpPort: number): Promise<void> {
    await passDay(parts[0] as Running, httpPort);
    await Bun.sleep(QUIET_MS);
    for (const [at, { pid }] of parts.entries()) looks.push([names[at] ?? '', lookAt(pid)]);
    for (const part of parts) await part.stop();
  }
  const ports = { PROXY_HTTP_PORT: String(freePort()), PROXY_HTTPS_PORT: String(freePort()) };
  const [httpPort, agentPort] = [Number(ports.PROXY_HTTP_PORT), freePort()];
  const box = await startRole(binary, home('box'), null, ports);
  await live(['hub and agent'], [box], httpPort);
  const away = { ...ports, AGENT_PORT: String(agentPort) };
  const agent = await startRole(binary, home('agent'), 'agent', away);
  const url = { AGENT_URL: `http://127.0.0.1:${agentPort}` };
  const hub = await startRole(binary, home('hub'), 'hub', url);
  await live(['hub alone', 'agent alone'], [hub, agent], httpPort);
  console.log(`MB ${QUIET_MS / 1_000} s after a day`);
  printTable(
    ['', 'RSS', 'RssAnon', 'RssFile'],
    looks.map(([name, { rss, anon, file }]) => [name, ...[rss, anon, file].map(mb)]),
  );
  rmSync(folder, { recursive: true });
}

async function passDay(hub: Running, httpPort: number): Promise<void> {
  const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('up') });
  const { headers } = await signUp(hub);
  const must = async (path: string, init: Parameters<typeof ask>[1] = {}) => {
    const { status, text } = await ask(`${hub.hub}${path}`, { headers, ...init });
    if (status >= 300) throw new Error(`${path}: ${text}`);
  };
  const config = `{\n\thttp_port ${httpPort}\n\tskip_install_trust\n}\n`;
  await must('/preamble', { method: 'PUT', json: { config } });
  for (let at = 0; at < SITES; at++) {
    const json = {
      domain: `http://site-${at}.example`,
      config: 'reverse_proxy {upstream}',
      upstream: `127.0.0.1:${upstream.port}`,
      check: { path: '/' },
    };
    await must('/vhosts', { json });
  }
  for (let at = 0; at < REQUESTS; at++) {
    const init = { headers: { Host: `site-${at % SITES}.example` } };
    await ask(`http://127.0.0.1:${httpPort}/page-${at % 50}`, init);
  }
  for (let round = 0; round < ROUNDS; round++) for (const path of PAGES) await must(path);
  await upstream.stop(true);
}
