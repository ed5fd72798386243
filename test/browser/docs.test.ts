/** The API reference as a browser shows it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { BROWSER_TIMEOUT_MS, tooWide, violations } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let dashboard: Dashboard;
let page: Page;
const requested: string[] = [];

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await dashboard.open();
  page.context().on('request', (request) => requested.push(request.url()));
  await page.goto('/account');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'API reference' }).click();
  page = await opened;
  await page.getByRole('heading', { level: 1 }).waitFor();
});

afterAll(() => dashboard?.stop());

test('the API reference is a link away, and works without a script', async () => {
  expect(new URL(page.url()).pathname).toBe('/api/docs');
  expect(await page.locator('script').count()).toBe(0);
  await page.getByText('createVhost').first().waitFor({ state: 'attached' });
  const own = new URL(dashboard.stack.hub).origin;
  expect(requested).toContain(`${own}/api/docs`);
  expect(requested.filter((url) => !url.startsWith(own))).toEqual([]);
});

test('it is accessible, and fits into 320 pixels', async () => {
  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toBe(0);
});

test('the browser reported no errors', () => {
  expect(dashboard.browserErrors()).toEqual([]);
});
