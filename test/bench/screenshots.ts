/** The README's pictures: `BENCH_PICTURES=docs/pictures bun run bench screenshots`. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { dateBack, publishAll } from '../../src/features/demo/cli/furnish.ts';
import { PEOPLE } from '../../src/features/demo/cli/house.ts';
import { startServices } from '../../src/features/demo/cli/services.ts';
import { visitsBetween } from '../../src/features/demo/cli/visitors.ts';
import { openBeside } from '../../src/hub/db/open.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { ask, startStack } from '../harness/stack.ts';
import { openTab } from '../harness/visit.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
/** The lowest at which text is easy to read; keeps pictures below 80 KB. */
const QUALITY = 38;

export async function run(): Promise<void> {
  const folder = process.env.BENCH_PICTURES ?? mkdtempSync(join(tmpdir(), 'signalbox-pictures-'));
  mkdirSync(folder, { recursive: true });
  const services = startServices();
  const dashboard = await startDashboard(() => startStack({ ACCESS_LOG_ROLL_MB: '1000' }));
  try {
    await fill(dashboard, services.upstreams);
    const wide = await dashboard.open({ viewport: { width: 1280, height: 800 } });
    const phone = await dashboard.open({
      viewport: { width: 375, height: 720 },
      colorScheme: 'dark',
    });
    const take = (page: Page, name: string) =>
      page.screenshot({ path: join(folder, `${name}.jpg`), type: 'jpeg', quality: QUALITY });

    await list(wide);
    await take(wide, 'sites');
    await list(phone);
    await take(phone, 'phone');

    await wide.goto('/logs');
    await wide.locator('.log-row').first().waitFor();
    await wide.locator('.log-plot svg').waitFor();
    await take(wide, 'logs');

    await wide.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
    await wide.getByRole('link', { name: 'photos.home.example' }).click();
    await openTab(wide, 'Edit');
    const config = 'encode zstd gzip\nheader -Server\nreverse_prox {upstream}';
    await wide.getByLabel('Config').fill(config);
    await wide.locator('.bad-line').waitFor();
    await wide
      .getByRole('heading', { name: 'Preview' })
      .evaluate((heading) => heading.scrollIntoView());
    await take(wide, 'site');
  } finally {
    await dashboard.stop();
    await services.stop();
  }
  console.log(`pictures in ${folder}`);
}

async function list(page: Page): Promise<void> {
  await page.goto('/sites');
  await page.locator('.strip').first().waitFor();
  await page.locator('.site-reason').first().waitFor();
}

/** The home of `signalbox demo`, as its owner sees it. */
async function fill(
  { stack, owner }: Dashboard,
  upstreams: ReadonlyMap<string, string>,
): Promise<void> {
  const now = Date.now();
  mkdirSync(dirname(stack.accessLog), { recursive: true });
  await Bun.write(stack.accessLog, visitsBetween(now - WEEK_MS, now, now));
  const tokens = new Map(PEOPLE.map((name) => [name, owner.token]));
  const ports = { http: stack.httpPort, https: stack.httpsPort };
  const { ids, changes } = await publishAll(tokens, upstreams, ports, async (_, request) => {
    const made = await ask(stack.hub + request.path, { ...request, headers: owner.headers });
    if (made.status >= 400) throw new Error(made.text);
    return made.body;
  });
  const { db, close } = openBeside(stack.dataDir);
  dateBack(db, ids, changes, now);
  close();
}
