import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { barriers, PATIENCE_MS, tooWide } from '../harness/visit.ts';

setDefaultTimeout(PATIENCE_MS);

let dashboard: Dashboard;
let page: Page;
const asked: string[] = [];

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await dashboard.open();
  page.context().on('request', (request) => asked.push(request.url()));
  await page.goto('/account');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'What they can ask' }).click();
  page = await opened;
  await page.getByRole('heading', { level: 1 }).waitFor();
});

afterAll(() => dashboard?.stop());

test('the page of the API is a link away, and opens what it holds without a script', async () => {
  expect(new URL(page.url()).pathname).toBe('/api/docs');
  expect(await page.locator('script').count()).toBe(0);
  await page.getByText('createVhost').first().waitFor({ state: 'attached' });
  const own = new URL(dashboard.stack.hub).origin;
  expect(asked).toContain(`${own}/api/docs`);
  expect(asked.filter((url) => !url.startsWith(own))).toEqual([]);
});

test('it has no barrier, and room in 320 pixels', async () => {
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toBe(0);
});

test('the browser had nothing to complain of', () => {
  expect(dashboard.complaints()).toEqual([]);
});
