/** The README's pictures: `BENCH_PICTURES=docs/pictures bun run bench screenshots`. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { line } from '../agent/logs/lines.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { seededRandom } from '../harness/random.ts';
import { ask, startStack } from '../harness/stack.ts';

/** Names, ports, and shares of the traffic. */
const SITES: readonly [name: string, port: number, share: number][] = [
  ['cloud', 11000, 30],
  ['git', 3001, 12],
  ['home', 8123, 18],
  ['mail', 8080, 5],
  ['music', 4533, 8],
  ['paper', 8010, 2],
  ['photos', 2283, 25],
  ['vault', 8222, 6],
  ['wiki', 3000, 3],
];
const PATHS = ['/', '/api/status', '/assets/app.js', '/login', '/feed.xml', '/search?q=lamp'];
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 304, 304, 301, 404];
/** The one whose service does not answer. */
const DOWN = 'mail';
const LINES = 9_000;
const SPAN_SECONDS = 3 * 3600;
/** The lowest at which text is easy to read; keeps pictures below 80 KB. */
const QUALITY = 38;

export async function run(): Promise<void> {
  const folder = process.env.BENCH_PICTURES ?? mkdtempSync(join(tmpdir(), 'signalbox-pictures-'));
  mkdirSync(folder, { recursive: true });
  const services = SITES.filter(([name]) => name !== DOWN).map(([, port]) =>
    Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() }),
  );
  const dashboard = await startDashboard(() => startStack({ ACCESS_LOG_ROLL_MB: '1000' }));
  try {
    await fill(dashboard);
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
    await wide.locator('.log-plot-requests canvas').waitFor();
    await take(wide, 'logs');

    await wide.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
    await wide.getByRole('link', { name: 'http://photos.home.example' }).click();
    const config = 'encode zstd gzip\nheader -Server\nreverse_prox {upstream}';
    await wide.getByLabel('Config').fill(config);
    await wide.locator('.bad-line').waitFor();
    await take(wide, 'site');
  } finally {
    await dashboard.stop();
    for (const service of services) await service.stop(true);
  }
  console.log(`pictures in ${folder}`);
}

async function list(page: Page): Promise<void> {
  await page.goto('/sites');
  await page.locator('.spark-errors').first().waitFor({ state: 'attached' });
  await page.getByText(`The upstream of http://${DOWN}.home.example is down`).waitFor();
}

async function fill({ stack, owner: { headers } }: Dashboard): Promise<void> {
  const { below } = seededRandom(7);
  const random = () => below(1e6) / 1e6;
  const one = <T>(of: readonly T[]) => of[below(of.length)];
  const hosts = SITES.flatMap(([name, , share]) => Array<string>(share).fill(name));
  const now = Date.now() / 1000;
  const lines: string[] = [];
  for (let at = 0; at < LINES; at++) {
    const part = at / LINES;
    // Traffic that comes in waves, and a quarter of an hour of trouble.
    const ts = now - SPAN_SECONDS * (1 - part - 0.02 * Math.sin(part * 25)) - 60;
    const host = one(hosts) ?? 'home';
    const isTrouble = host === 'cloud' && part > 0.8 && part < 0.88;
    const status = isTrouble && random() < 0.7 ? 502 : one(STATUSES);
    const duration = 0.004 + random() ** 6 * 0.4 + (isTrouble ? 0.3 : 0);
    const remote_ip = `192.0.2.${Math.floor(random() * 60)}`;
    const request = { host: `${host}.home.example`, uri: one(PATHS), remote_ip };
    lines.push(line({ ts, status, duration, request }));
  }
  mkdirSync(dirname(stack.accessLog), { recursive: true });
  await Bun.write(stack.accessLog, `${lines.join('\n')}\n`);
  const operations = SITES.map(([name, port]) => ({
    op: 'create',
    domain: `http://${name}.home.example`,
    upstream: `127.0.0.1:${port}`,
    config: 'encode zstd gzip\nreverse_proxy {upstream}',
    enabled: name !== 'paper',
  }));
  const made = await ask(`${stack.hub}/vhosts/bulk`, { json: { operations }, headers });
  if (made.status !== 200) throw new Error(made.text);
}
