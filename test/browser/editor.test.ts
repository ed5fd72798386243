/** The editor of configuration, under the hub's content security policy. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, tooWide, violations } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let dashboard: Dashboard;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await dashboard.open();
});

afterAll(() => dashboard?.stop());

const config = (on = page) => on.getByLabel('Config');
const options = () => page.getByRole('option');

test('that cannot be loaded leaves a text area, which works', async () => {
  const seen = await dashboard.open();
  await seen.route(/\/chunk-\w+\.js$/, async (route) => {
    const text = await (await fetch(route.request().url())).text();
    await (text.includes('cm-content') ? route.abort() : route.continue());
  });
  const failed = seen.waitForEvent('requestfailed');
  await seen.goto('/sites/new');
  await failed;
  await seen.getByLabel('Domain').fill('http://plain.localhost');
  await config(seen).fill('respond plain');
  expect(await config(seen).evaluate((element) => element.tagName)).toBe('TEXTAREA');
  await seen.getByRole('button', { name: 'Create and publish' }).click();
  await seen.getByText('http://plain.localhost is live').waitFor();
  await seen.context().close();
});

test('that takes the place of the text area keeps what is selected there', async () => {
  const seen = await dashboard.open();
  const held = Promise.withResolvers<void>();
  await seen.route(/\/chunk-\w+\.js$/, async (route) => {
    const text = await (await fetch(route.request().url())).text();
    if (text.includes('cm-content')) await held.promise;
    await route.continue();
  });
  await seen.goto('/sites/new');
  await config(seen).press('Control+A');
  expect(await config(seen).evaluate((element) => element.tagName)).toBe('TEXTAREA');
  held.resolve();
  await seen.locator('.cm-content').waitFor();
  await seen.keyboard.insertText('respond over');
  await until(async () => (await codeIn(config(seen))) === 'respond over');
  await seen.context().close();
});

test('offers nothing for an unknown word, and lets the keyboard out', async () => {
  await page.goto('/sites/new');
  await page.locator('.cm-content').waitFor();
  await config().fill('');
  await config().pressSequentially('rexyz');
  expect(await options().count()).toBe(0);
  await config().press('Escape');
  await config().press('Tab');
  expect(await config().evaluate((element) => element.matches(':focus'))).toBe(false);
});

test('completes directives, matchers and placeholders by keyboard', async () => {
  const choose = async (typed: string, choice: string) => {
    await config().pressSequentially(typed);
    const option = options().filter({ hasText: choice }).first();
    await option.and(page.locator('[aria-selected]')).waitFor();
    // Right after it has opened, the list takes no key: it could be meant for the text.
    while (await option.isVisible()) await config().press('Tab');
  };
  await config().fill('');
  await config().pressSequentially('@lan path /lan\n');
  await choose('rev', 'reverse_proxy');
  await choose(' @l', '@lan');
  await choose(' {up', '{upstream}');
  expect(await codeIn(config())).toBe('@lan path /lan\nreverse_proxy @lan {upstream}');
});

test('colours words, in light and dark, has a name and a description, and fits on a phone', async () => {
  const colour = () =>
    page
      .locator('.cm-line span', { hasText: /^reverse_proxy$/ })
      .evaluate((span) => getComputedStyle(span).color);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await colour();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await colour()).not.toBe(light);
  expect(await config().getAttribute('aria-description')).toContain('press Escape, then Tab');
  await page.getByText('Config', { exact: true }).click();
  expect(await config().evaluate((element) => element.matches(':focus'))).toBe(true);
  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toBe(0);
});

test('the browser reported no errors', () => {
  expect(dashboard.browserErrors().filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
});
