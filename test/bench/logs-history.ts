/** The same log as a history of rolled segments: packing, a restart, and pages in packed segments. */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LogFilter } from '../../agent/logs/answers/filter.ts';
import { createLogs, type Logs } from '../../agent/logs/logs.ts';
import { createKeeper } from '../../agent/logs/storage/keeper.ts';
import { PACE } from '../../agent/pace.ts';
import { seededRandom } from '../harness/random.ts';
import { DOMAINS } from './log-file.ts';
import { ms, percentiles, printTable, ROUNDS, timed } from './table.ts';

const SEGMENT_BYTES = 100 << 20;
export const STATUSES = [200, 204, 301, 304, 404, 500, 502];
const MIB = 2 ** 20;

/** Moves a file into rolled segments of about 100 MiB, and measures them. @param total its entries */
export async function measureHistory(file: string, total: number): Promise<void> {
  const bytes = Bun.file(file).size;
  const segments = await divide(file);
  const packing = await watched(() => pack(file));
  const first = await watched(() => firstPage(file, total));
  const second = await watched(() => firstPage(file, total));
  const third = await watched(() => firstPage(file, total));
  console.log(
    `${segments} segments packed at ${(bytes / packing.time / 1e6).toFixed(2)} GB/s, ` +
      `longest pause ${ms(packing.pause)} ms, peak ${(packing.peak / MIB).toFixed(0)} MiB\n` +
      `first page without an index ${ms(first.time)} ms, longest pause ${ms(first.pause)} ms; ` +
      `after a restart ${ms(second.time)}, ${ms(third.time)} ms, longest pause ${ms(third.pause)} ms\n`,
  );
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const logs = createLogs({ file, timeout: 600_000 });
  await logs.warm();
  Bun.gc(true);
  const kept = process.memoryUsage.rss() - before;
  console.log(`memory kept after a restart: ${(kept / MIB).toFixed(0)} MiB\n`);
  await measureAnyPages(logs, 'packed segments');
  logs.close();
}

/** Packs rolled segments. */
export function pack(file: string): Promise<void> {
  const limits = { keep: null, days: null, megabytes: null };
  return createKeeper({ pace: PACE.keeper, file, limits, log: () => {} }).run();
}

/** Pages that are different each time, newest and far back. */
export async function measureAnyPages(logs: Logs, name: string): Promise<void> {
  const { below: random } = seededRandom(7);
  const domain = () => `site${random(DOMAINS)}.example`;
  const status = () => STATUSES[random(STATUSES.length)] ?? 200;
  const cases: [string, () => Omit<LogFilter, 'pageSize'>][] = [
    ['newest page of any pair', () => ({ domain: domain(), status: status(), page: 1 })],
    ['page 2 to 21 of any pair', () => ({ domain: domain(), status: 200, page: 2 + random(20) })],
    ['any page up to 1,000 of a status', () => ({ status: status(), page: 1 + random(1000) })],
    ['any page up to 300 of a domain', () => ({ domain: domain(), page: 1 + random(300) })],
    ['any page up to 1,000', () => ({ page: 1 + random(1000) })],
  ];
  const rows: string[][] = [];
  for (const [title, filter] of cases) {
    const [p50, p99] = await percentiles(() => logs.page({ ...filter(), pageSize: 50 }));
    rows.push([title, ms(p50), ms(p99)]);
  }
  const DAY = 86_400_000;
  const { from: start, to: end } = await logs.stats({ buckets: 1 });
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  const range = () => {
    const a = from + random(Math.min(DAY, to - from) / 2);
    return { from: a, to: a + (to - a) * (0.5 + random(50) / 100), buckets: 60 };
  };
  for (const [title, filter] of [
    ['stats of any range, 60 buckets', () => range()],
    ['the same of any domain', () => ({ ...range(), domain: domain() })],
  ] as const) {
    const [p50, p99] = await percentiles(() => logs.stats(filter()), ROUNDS / 3);
    rows.push([title, ms(p50), ms(p99)]);
  }
  printTable([`${name}, ms`, 'p50', 'p99'], rows);
}

async function firstPage(file: string, total: number): Promise<void> {
  const logs = createLogs({ file, timeout: 600_000 });
  const page = await logs.page({ page: 1, pageSize: 50 });
  logs.close();
  if (page.total !== total) throw new Error(`${page.total} entries of ${total}`);
}

/** The time of some work in ms, the longest pause of the event loop, and the memory at the peak. */
export async function watched(work: () => Promise<unknown>) {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let [peak, last, pause] = [before, performance.now(), 0];
  const look = () => {
    pause = Math.max(pause, performance.now() - last);
    last = performance.now();
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const watch = setInterval(look, 1);
  const time = await timed(work);
  clearInterval(watch);
  return { time, pause, peak: peak - before };
}

/** Replaces a file by rolled segments that are cut at line ends. @returns how many */
export async function divide(file: string): Promise<number> {
  const source = await open(file);
  const { size } = await source.stat();
  let count = 0;
  for (let start = 0; start < size; count++) {
    const bytes = Buffer.alloc(Math.min(SEGMENT_BYTES, size - start));
    await source.read(bytes, 0, bytes.length, start);
    const end = bytes.lastIndexOf('\n') + 1;
    const time = new Date(Date.UTC(2026, 10, 20) + count * 1000).toISOString().slice(0, 23);
    const name = `access-${time.replaceAll(':', '-')}.log`;
    await Bun.write(join(dirname(file), name), bytes.subarray(0, end));
    start += end;
  }
  await source.close();
  rmSync(file);
  return count;
}
