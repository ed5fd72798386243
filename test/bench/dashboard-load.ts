/** The size of the dashboard, and how soon it is usable. */
import type { Page } from 'playwright-core';
import { readDashboard } from '../../src/program/serve/dashboard.ts';
import { median, ms, printTable } from './table.ts';
import { tasksOf } from './trace.ts';

const ROUNDS = 11;

type Times = { paint: number; ready: number; there: number };

/** Waits until the list is in the page, and then until it is drawn. */
const WATCH = `globalThis.benchList = new Promise((done) => {
  new MutationObserver((_, watch) => {
    if (!document.querySelector('.virtual-row a')) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  }).observe(document, { childList: true, subtree: true });
})`;

const TIMES = `(async () => {
  const [navigation] = performance.getEntriesByType('navigation');
  return {
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    ready: navigation.domContentLoadedEventEnd,
    there: await benchList,
  };
})()`;

/** Prints the size of what the first page loads, and of the whole dashboard. */
export async function measureWeight(page: Page): Promise<void> {
  const { page: html, files } = await readDashboard();
  await page.goto('/');
  await page.locator('a.tile-value').first().waitFor();
  const loaded = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(1))`,
  )) as string[];
  let [first, all] = [html.length, html.length];
  for (const [name, { body, gzip }] of files) {
    const bytes = (gzip ?? body).byteLength;
    all += bytes;
    if (loaded.includes(name)) first += bytes;
  }
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  printTable(['size, gzip', 'first load', 'all pages'], [['', kb(first), kb(all)]]);
}

/**
 * Medians of loads with empty caches, and the longest task of another load, which is traced.
 * @param page of a signed-in user
 */
export async function measureLoads(page: Page, sites: number): Promise<string[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  const storageState = await page.context().storageState();
  const baseURL = new URL(page.url()).origin;
  const rounds: Times[] = [];
  let longest = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const context = await browser.newContext({
      baseURL,
      storageState,
      viewport: { width: 1280, height: 800 },
    });
    const cold = await context.newPage();
    await cold.addInitScript(WATCH);
    const load = async () => {
      await cold.goto('/sites');
      await cold.evaluate('benchList');
    };
    if (round < ROUNDS) {
      await load();
      rounds.push((await cold.evaluate(TIMES)) as Times);
    } else {
      const known = cold.waitForResponse((answer) => answer.url().endsWith('/vhosts/state'));
      const tasks = await tasksOf(cold, async () => {
        await load();
        await known;
      });
      longest = Math.max(...tasks.map(({ clock }) => clock));
    }
    await context.close();
  }
  const of = (name: keyof Times) => ms(median(rounds.map((times) => times[name])));
  return [`${sites} sites`, of('paint'), of('ready'), of('there'), ms(longest)];
}
