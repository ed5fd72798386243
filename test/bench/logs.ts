/**
 * Compares the index of the log with command-line tools on the same file in the same run: indexing, pages,
 * numbers over time, tail, memory. `BENCH_LOG_LINES=10000000` uses ten million lines instead of one.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFilter } from '../../agent/logs/answers/filter.ts';
import { createLogs, type Logs } from '../../agent/logs/logs.ts';
import { readEvents } from '../harness/events.ts';
import { DOMAINS, writeLog } from './log-file.ts';
import { measureAnyPages, measureHistory, watched } from './logs-history.ts';
import { measureSearch, shell } from './logs-peers.ts';
import { ms, percentiles, printTable, ROUNDS, sortedPercentiles, timed } from './table.ts';

const LINES = Number(process.env.BENCH_LOG_LINES ?? 1_000_000);
const MIB = 2 ** 20;

/** Prints its tables. Needs about 1,300 bytes per line in the temporary folder. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-logs-'));
  const file = join(folder, 'access.log');
  try {
    await writeLog(file, LINES);
    const megabytes = (Bun.file(file).size / 1e6).toFixed(0);
    console.log(`logs: ${LINES} lines, ${megabytes} MB in one file, ${DOMAINS} domains\n`);
    const logs = createLogs({ file, timeout: 600_000 });
    await measureIndexing(file, logs);
    await measureSearch(file, logs);
    await measureQueries(logs);
    await measureAnyPages(logs, 'one plain file');
    await measureTail(file, logs);
    logs.close();
    await measureHistory(file, LINES + ROUNDS);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIndexing(file: string, logs: Logs): Promise<void> {
  const { size } = Bun.file(file);
  // Reads the file into the page cache, so that the others are compared on equal terms.
  await shell(['wc', '-l', file]);
  const tools = [
    ['grep -c \'"status":404\'', await shell(['grep', '-c', '"status":404', file])],
    ["grep -c ''", await shell(['grep', '-c', '', file])],
    ['wc -l', await shell(['wc', '-l', file])],
  ] as const;

  const before = process.memoryUsage.rss();
  const {
    time: indexing,
    pause,
    peak,
  } = await watched(async () => {
    const { total } = await logs.page({ page: 1, pageSize: 50 });
    if (total !== LINES) throw new Error(`${total} entries of ${LINES}`);
  });
  Bun.gc(true);
  const kept = process.memoryUsage.rss() - before;

  const speed = (time: number) => `${(size / time / 1e6).toFixed(2)} GB/s`;
  printTable(
    ['cold', 'time / ours', 'speed'],
    [
      ['index and first page', '1.00', speed(indexing)],
      ...tools.map(([name, time]) => [name, (time / indexing).toFixed(2), speed(time)]),
    ],
  );
  console.log(
    `memory: ${mib(kept)} kept, ${mib(peak)} at the peak; ` +
      `longest pause while indexing: ${ms(pause)} ms\n`,
  );
}

async function measureQueries(logs: Logs): Promise<void> {
  const domain = 'site7.example';
  const pages: [string, Omit<LogFilter, 'pageSize'>][] = [
    ['newest page', { page: 1 }],
    ['newest page of a domain', { domain, page: 1 }],
    ['newest page of a rare pair', { domain: 'site39.example', status: 500, page: 1 }],
    ['newest page of 5xx', { statusClass: 5, page: 1 }],
    ['page 1000', { page: 1000 }],
    ['page 1000 of a status', { status: 404, page: 1000 }],
    ['page 300 of a domain', { domain, page: 300 }],
    ['newest page of a path, already counted', { path: '/a/777', page: 1 }],
  ];
  const rows: string[][] = [];
  for (const [name, filter] of pages) {
    const once = await timed(() => logs.page({ ...filter, pageSize: 50 }));
    const [p50, p99] = await percentiles(() => logs.page({ ...filter, pageSize: 50 }));
    rows.push([name, ms(p50), ms(p99), ms(once)]);
  }
  // A different one each time, because the counts of a filter are kept.
  let next = 0;
  const anyAddress = () => ({
    ip: `10.0.${++next % 256}.${(next * 7) % 256}`,
    page: 1,
    pageSize: 50,
  });
  const once = await timed(() => logs.page(anyAddress()));
  const [p50, p99] = await percentiles(() => logs.page(anyAddress()), 20);
  rows.push(['newest page of an address', ms(p50), ms(p99), ms(once)]);
  for (const [name, filter] of [
    ['stats, 60 buckets', { buckets: 60 }],
    ['stats of a domain, 60 buckets', { domain, buckets: 60 }],
  ] as const) {
    const once = await timed(() => logs.stats(filter));
    const [p50, p99] = await percentiles(() => logs.stats(filter));
    rows.push([name, ms(p50), ms(p99), ms(once)]);
  }
  for (const [name, filter] of [
    ['stats of a path of a domain', { domain: 'site39.example', path: '/a/7', buckets: 60 }],
    ['stats of an address', { ip: '10.0.7.7', buckets: 60 }],
    ['stats of a path', { path: '/a/7', buckets: 60 }],
    ['stats of a user agent that all have', { userAgent: 'gecko', buckets: 60 }],
  ] as const) {
    const { requests, sampled } = await logs.stats(filter);
    const once = await timed(() => logs.stats(filter));
    const [p50, p99] = await percentiles(() => logs.stats(filter), 10);
    const share = sampled ? `1 in ${sampled.of} lines` : 'all lines';
    rows.push([`${name}: ${requests} from ${share}`, ms(p50), ms(p99), ms(once)]);
  }
  printTable(['warm, ms', 'p50', 'p99', 'first time'], rows);
}

/** The time from writing a line to the event of a tail. */
async function measureTail(file: string, logs: Logs): Promise<void> {
  const { size } = Bun.file(file);
  const text = await Bun.file(file)
    .slice(size - 4096)
    .text();
  const line = `${text.trimEnd().split('\n').at(-1)}\n`;
  const events = readEvents(await logs.tail({}, undefined));
  await events.begun();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const event = events.of('entry');
    // At a random moment between two reads of the file.
    await Bun.sleep(Math.random() * 50);
    times.push(
      await timed(async () => {
        appendFileSync(file, line);
        await event;
      }),
    );
  }
  await events.close();
  const [p50, p99] = sortedPercentiles(times);
  console.log(
    `tail, from the write of a line to its event: p50 ${ms(p50)} ms, p99 ${ms(p99)} ms\n`,
  );
}

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;

if (import.meta.main) await run();
