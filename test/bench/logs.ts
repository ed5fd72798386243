/** The log engine on a million lines: indexing against grep and wc, pages, memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFilter } from '../../agent/logs/filter.ts';
import { createLogs } from '../../agent/logs/logs.ts';

const LINES = 1_000_000;
const DOMAINS = 40;
const STATUSES = [200, 200, 200, 200, 200, 200, 204, 301, 304, 304, 404, 404, 500, 502];
const ROUNDS = 300;

/** Prints one table; writes and removes about 700 MB in the temporary folder. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-logs-'));
  try {
    await measure(join(folder, 'access.log'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(file: string): Promise<void> {
  await writeLog(file);
  const bytes = Bun.file(file).size;
  const gigabytes = (ms: number) => `${(bytes / ms / 1e6).toFixed(2)} GB/s`;
  // What comes first reads from the disk; the rest is to be compared on equal terms.
  await shell(['wc', '-l', file]);
  const lines = await shell(['wc', '-l', file]);
  const empty = await shell(['grep', '-c', '', file]);
  const pattern = await shell(['grep', '-c', '"status":404', file]);

  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const logs = createLogs({ file });
  const started = performance.now();
  let last = started;
  let longest = 0;
  const pulse = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const { total } = await logs.page({ page: 1, pageSize: 50 });
  const indexing = performance.now() - started;
  clearInterval(pulse);
  clearInterval(watch);
  if (total !== LINES) throw new Error(`${total} entries of ${LINES}`);

  const rows: [what: string, figure: string, ratio: string][] = [
    ['cold index and first page', gigabytes(indexing), '1.00'],
    ["grep -c ''", gigabytes(empty), (empty / indexing).toFixed(2)],
    ['grep -c \'"status":404\'', gigabytes(pattern), (pattern / indexing).toFixed(2)],
    ['wc -l', gigabytes(lines), (lines / indexing).toFixed(2)],
    ['memory at the peak', `+${((peak - before) / 2 ** 20).toFixed(0)} MiB`, ''],
    ['memory after it', `+${((settled() - before) / 2 ** 20).toFixed(0)} MiB`, ''],
    ['longest pause while indexing', `${longest.toFixed(1)} ms`, ''],
  ];
  const domain = 'site7.example';
  const queries: [string, LogFilter][] = [
    ['newest page', { page: 1, pageSize: 50 }],
    ['newest page of a domain', { domain, page: 1, pageSize: 50 }],
    [
      'newest page of a rare pair',
      { domain: 'site39.example', status: 500, page: 1, pageSize: 50 },
    ],
    ['page 1000', { page: 1000, pageSize: 50 }],
    ['page 1000 of a status', { status: 404, page: 1000, pageSize: 50 }],
    ['page 300 of a domain', { domain, page: 300, pageSize: 50 }],
  ];
  for (const [name, filter] of queries) {
    const [p50, p99] = await percentiles(() => logs.page(filter));
    rows.push([name, `p50 ${p50.toFixed(2)} ms`, `p99 ${p99.toFixed(2)} ms`]);
  }
  logs.close();
  console.log(`logs: ${LINES} lines, ${(bytes / 1e6).toFixed(0)} MB, ${DOMAINS} domains`);
  for (const [what, figure, more] of rows) {
    console.log(`  ${what.padEnd(32)}${figure.padStart(16)}${more.padStart(16)}`);
  }
}

function settled(): number {
  Bun.gc(true);
  return process.memoryUsage.rss();
}

async function percentiles(work: () => Promise<unknown>): Promise<[p50: number, p99: number]> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return [times[ROUNDS >> 1] ?? 0, times[Math.floor(ROUNDS * 0.99)] ?? 0];
}

// The answer goes through a pipe: grep stops at the first match when nobody can read its count.
async function shell(command: string[]): Promise<number> {
  const started = performance.now();
  await Bun.spawn(command, { stdout: 'pipe' }).stdout.text();
  return performance.now() - started;
}

// Lines as Caddy writes them for browsers; the first domains get most of the traffic.
async function writeLog(file: string): Promise<void> {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const writer = Bun.file(file).writer({ highWaterMark: 1 << 22 });
  let micros = 0;
  for (let i = 0; i < LINES; i++) {
    micros += random(50_000);
    const host = `site${Math.min(random(DOMAINS), random(DOMAINS))}.example`;
    const status = STATUSES[random(STATUSES.length)] ?? 200;
    const seconds = 1795212767 + Math.floor(micros / 1e6);
    const fraction = String(micros % 1e6).padStart(6, '0');
    writer.write(
      `{"level":"${status < 400 ? 'info' : 'error'}","ts":${seconds}.${fraction},` +
        `"logger":"http.log.access.agent_access","msg":"handled request","request":{` +
        `"remote_ip":"10.0.${random(256)}.${random(256)}","remote_port":"${1024 + random(60_000)}",` +
        `"proto":"HTTP/2.0","method":"GET","host":"${host}","uri":"/a/${random(5000)}?v=${i}",` +
        '"headers":{"User-Agent":["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101"],' +
        '"Accept":["*/*"],"Accept-Encoding":["gzip, deflate, br"]},"tls":{"resumed":false,' +
        `"version":772,"cipher_suite":4865,"proto":"h2","server_name":"${host}"}},"user_id":"",` +
        `"duration":0.${String(random(1e9)).padStart(9, '0')},"size":${random(100_000)},` +
        `"status":${status},"resp_headers":{"Server":["Caddy"],` +
        '"Content-Type":["text/html; charset=utf-8"]}}\n',
    );
    if (i % 20_000 === 0) await writer.flush();
  }
  await writer.end();
}

if (import.meta.main) await run();
