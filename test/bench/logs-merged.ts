/**
 * Pages and statistics of the logs of three agents, each in a process of its own, beside the same of one
 * of them; all through the hub's routes. `BENCH_LOG_LINES` is the number of lines of each; with
 * `BENCH_LOG_FORM`, they are in files that are `packed`, or that are `rolled` and being packed.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LogPage } from '../../src/shared/wire/logs.ts';
import { agentsOf, clientOf, serveRoutes } from '../harness/log-agents.ts';
import { seededRandom } from '../harness/random.ts';
import { DOMAINS, startFor, writeLog } from './log-file.ts';
import { divide, pack, STATUSES } from './logs-history.ts';
import { ms, percentiles, printTable, ratio } from './table.ts';

const LINES = Number(process.env.BENCH_LOG_LINES ?? 1_000_000);
const FORM = process.env.BENCH_LOG_FORM ?? 'plain';
const AGENTS = 3;
const PAGE_SIZE = 50;
const END = 1795212767;

/** Prints its table. Needs about 2,000 bytes per line in the temporary folder. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-merged-'));
  const children: Bun.Subprocess[] = [];
  try {
    const ports: number[] = [];
    for (let i = 0; i < AGENTS; i++) {
      const file = join(folder, `${i}`, 'access.log');
      mkdirSync(dirname(file));
      await writeLog(file, LINES, startFor(LINES, END) + 7 * i);
      if (FORM !== 'plain') await divide(file);
      if (FORM === 'packed') await pack(file);
      const agent = join(import.meta.dir, 'log-agent.ts');
      const child = Bun.spawn([process.execPath, agent, file, FORM], { stdout: 'pipe' });
      children.push(child);
      for await (const piece of child.stdout) {
        ports.push(Number(new TextDecoder().decode(piece)));
        break;
      }
    }
    const agents = ports.map((port, i) => ({
      id: i + 1,
      name: `agent${i}`,
      client: clientOf(port),
    }));
    const hub = serveRoutes(agentsOf(...agents));
    await measure(hub.url);
    await hub.stop();
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(hub: string): Promise<void> {
  const { below: random } = seededRandom(7);
  const get = async (path: string) => {
    const answer = await fetch(hub + path);
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  };
  const totalOf = async (query: string) =>
    (JSON.parse(await get(`/logs?${query}`)) as LogPage).total;
  const anyDomain = () => `site${random(DOMAINS)}.example`;
  const time = (share: number) => new Date((END - LINES * 0.025 * share) * 1000).toISOString();
  /** A page between the first and the last of those that match. */
  const anyPage = (pages: number) => `page=${1 + random(pages)}&pageSize=${PAGE_SIZE}`;

  const all = Math.floor((await totalOf('agent=agent0')) / PAGE_SIZE);
  const share = (parts: number) => Math.max(1, Math.floor(all / parts));
  const pairs = new Map<string, number>();
  for (const status of STATUSES) {
    for (let i = 0; i < DOMAINS; i++) {
      const pair = `domain=site${i}.example&status=${status}`;
      pairs.set(pair, await totalOf(`${pair}&agent=agent0`));
    }
  }
  const anyPair = () => {
    const [pair, total] = [...pairs][random(pairs.size)] ?? ['', 1];
    return `/logs?${pair}&${anyPage(Math.max(1, Math.ceil(total / PAGE_SIZE)))}`;
  };
  const cases: [string, () => string][] = [
    ['any page of any pair', anyPair],
    ['newest page', () => '/logs?page=1'],
    ['newest page of any domain and 404', () => `/logs?domain=${anyDomain()}&status=404`],
    ['page 2 to 21', () => `/logs?page=${2 + random(20)}`],
    ['any page', () => `/logs?${anyPage(all)}`],
    ['any page of 404', () => `/logs?status=404&${anyPage(share(8))}`],
    ['any page of 5xx', () => `/logs?status=5xx&${anyPage(share(8))}`],
    ['any page of a domain', () => `/logs?domain=site7.example&${anyPage(share(40))}`],
    ['any page of a path, already counted', () => `/logs?path=/a/777&${anyPage(share(5000))}`],
    ['newest page from any time on', () => `/logs?from=${time(random(1000) / 1000)}`],
    ['any page of 500 entries', () => `/logs?page=${1 + random(share(10))}&pageSize=500`],
    ['stats, 60 buckets', () => '/logs/stats?buckets=60'],
  ];
  const rows: string[][] = [];
  for (const [name, path] of cases) {
    const one = () => get(`${path()}&agent=agent0`);
    const merged = () => get(path());
    // Counts what the index does not hold.
    await one();
    await merged();
    const [p50, p99] = await percentiles(one);
    const [mergedP50, mergedP99] = await percentiles(merged);
    rows.push([name, ms(p50), ms(p99), ms(mergedP50), ms(mergedP99), ratio(mergedP50, p50)]);
  }
  console.log(`${AGENTS} agents, each with ${LINES} lines\n`);
  printTable(['through the hub, ms', 'one p50', 'p99', 'all p50', 'p99', 'all / one'], rows);
}

if (import.meta.main) await run();
