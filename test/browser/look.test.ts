/** What all pages share: theme, keys, waiting for a slow hub, and no request sent twice. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, violations } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let dashboard: Dashboard;
let page: Page;
let id: number;

beforeAll(async () => {
  dashboard = await startDashboard();
  const json = { domain: 'http://a.localhost', config: 'respond first' };
  const { headers } = dashboard.owner;
  id = (await ask<{ id: number }>(`${dashboard.stack.hub}/vhosts`, { json, headers })).body.id;
  page = await dashboard.open({ colorScheme: 'light' });
});

afterAll(() => dashboard?.stop());

test.each([
  '/',
  '/sites',
  '/sites/new',
  '/sites/some',
  '/logs',
  '/changelog',
  '/preamble',
  '/proxies',
  '/notifications',
  '/import',
  '/account',
])('%s asks the hub for nothing twice while it loads', async (path) => {
  const asked: string[] = [];
  const note = (request: { url: () => string }) => asked.push(request.url());
  page.on('request', note);
  await page.goto(path.replace('some', String(id)));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  page.off('request', note);
  expect(asked.filter((url) => url.includes('/api/')).length).toBeGreaterThan(1);
  expect(asked.filter((url, at) => asked.indexOf(url) !== at)).toEqual([]);
});

test('a slow hub is waited for with a skeleton, not on a blank page', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/auth/get-session', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.route('**/api/vhosts', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto('/sites');
  await page.locator('.loading-page .skeleton-row').first().waitFor();
  await page.locator('.loading-page .brand').waitFor();
  await page.unroute('**/api/auth/get-session');
  release();
  await page.getByRole('link', { name: 'http://a.localhost' }).first().waitFor();
  expect(await page.locator('.skeleton-row').count()).toBe(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('each page of the menu can be opened by its address', async () => {
  await page.goto('/');
  const links = page.getByRole('navigation').getByRole('link');
  await links.first().waitFor();
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(paths).toContain('/policies');
  for (const path of [...paths, '/sites/new', '/policies/new', '/policies/1']) {
    const answer = await page.request.get(path ?? '');
    expect([path, answer.status()]).toEqual([path, 200]);
  }
});

test('the chosen theme is kept, and the other one does not flash up first', async () => {
  // The colour of every frame, from the first one on.
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    const look = () => {
      if (document.body) seen.push(getComputedStyle(document.documentElement).backgroundColor);
      if (seen.length < 20) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const colours = async () => {
    const seen = () => page.evaluate<string[]>('seen');
    await until(async () => (await seen()).length >= 20, 'twenty frames');
    return new Set(await seen());
  };
  await page.goto('/account');
  const light = await colours();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await page.reload();
  const dark = await colours();
  expect([light.size, dark.size]).toEqual([1, 1]);
  expect(dark).not.toEqual(light);
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'As the system' }).check({ force: true });
  const theme = () => page.locator('html').getAttribute('data-theme');
  expect(await theme()).toBe('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html[data-theme=light]').waitFor();
});

test('a question mark lists the keys everywhere, unless it is typed into a field', async () => {
  await page.goto('/preamble');
  const text = page.getByLabel('Caddyfile text');
  await text.press('End');
  await text.press('?');
  expect(await codeIn(text)).toContain('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Save and publish what you are editing').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('Ctrl+S saves a site, and asks before it saves the preamble', async () => {
  await page.goto(`/sites/${id}`);
  const config = page.getByLabel('Config');
  await config.fill('respond second');
  await config.press('Control+s');
  await page.getByText('Saved and live.').waitFor();
  expect((await dashboard.stack.served('a.localhost')).text).toBe('second');
  await page.goto('/preamble');
  const text = page.getByLabel('Caddyfile text');
  await text.fill(`${await codeIn(text)}\n# more`);
  await text.press('Control+s');
  await page.getByRole('dialog', { name: 'Save the preamble?' }).waitFor();
  await page.keyboard.press('Escape');
});

test('the browser reported no errors', () => {
  expect(dashboard.browserErrors()).toEqual([]);
});
