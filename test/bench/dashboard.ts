/**
 * The dashboard in Chromium, with many sites and a long log: the longest tasks of the main thread
 * while it is used, its size, and how soon it is usable. `BENCH_VHOSTS` sets the number of sites
 * (2,000), `BENCH_LOG_LINES` that of log lines (1,000,000).
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { startDashboard } from '../harness/dashboard.ts';
import { startStack } from '../harness/stack.ts';
import { measureLogs, measureSites, SMOOTH_MS } from './dashboard-actions.ts';
import { measureLoads, measureWeight } from './dashboard-load.ts';
import { startFor, writeLog } from './log-file.ts';
import { addSites } from './sites.ts';
import { printTable } from './table.ts';

const VHOSTS = Number(process.env.BENCH_VHOSTS ?? 2_000);
const LINES = Number(process.env.BENCH_LOG_LINES ?? 1_000_000);
const FEW = 10;
const PATIENCE_MS = 30_000;

/** Prints three tables. Tasks are measured by the clock, and by their own work alone. */
export async function run(): Promise<void> {
  // One segment: rolled ones are measured in `logs`.
  const dashboard = await startDashboard(() => startStack({ ACCESS_LOG_ROLL_MB: '100000' }));
  try {
    mkdirSync(dirname(dashboard.stack.accessLog), { recursive: true });
    // Ends now, so that the list has a last hour to show.
    await writeLog(dashboard.stack.accessLog, LINES, startFor(LINES, Date.now() / 1000));
    const { upstream, owner, stack } = dashboard;
    const add = (count: number, from: number) =>
      addSites(
        { hub: stack.hub, headers: owner.headers },
        count,
        (at) => ({
          upstream,
          config: 'encode gzip\nreverse_proxy {upstream}',
          enabled: at % 10 !== 9,
        }),
        from,
      );
    await add(FEW, 0);
    const page = await dashboard.open();
    page.setDefaultTimeout(PATIENCE_MS);
    await measureWeight(page);
    const few = await measureLoads(page, FEW);
    await add(VHOSTS - FEW, FEW);
    const many = await measureLoads(page, VHOSTS);
    printTable(
      ['cold load, ms', 'first paint', 'DOM ready', 'list is usable', 'longest task'],
      [few, many],
    );
    await page.goto('/logs');
    await page.locator('.log-extent', { hasText: 'of ' }).waitFor();
    const rows = [...(await measureSites(page, VHOSTS)), ...(await measureLogs(page, dashboard))];
    const head = ['tasks', 'longest, ms', 'most work, ms', `> ${SMOOTH_MS} ms`, 'the longest in'];
    printTable([`${VHOSTS} sites, ${LINES} lines`, ...head], rows);
  } finally {
    await dashboard.stop();
  }
}
