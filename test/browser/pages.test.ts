// proof: browser
/**
 * Each page of the dashboard shows what the hub has, is accessible in light and dark, and may be 320 pixels
 * wide; and so are the dialogs, the open forms and the pages of those who are not signed in.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { flaws } from '../harness/look.ts';
import { ask, freePort, hasFeature, until } from '../harness/stack.ts';
import { writeLog } from '../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS, unfold } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const { stack, upstream } = dashboard;
const get = async <T>(path: string) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers })).body;

const policy = await make('/policies', {
  name: 'guests',
  recipe: 'block',
  values: { networks: ['203.0.113.7'] },
});
const site = await make('/vhosts', {
  domain: 'http://app.example',
  upstream,
  policies: ['guests'],
  tags: ['home'],
  config: 'reverse_proxy {upstream}',
});
await make('/vhosts', {
  domain: 'http://down.example',
  upstream: `127.0.0.1:${freePort()}`,
  config: 'reverse_proxy {upstream}',
});
await make('/channels', {
  name: 'hook',
  kind: 'webhook',
  target: { url: 'http://127.0.0.1:9/hook' },
  events: ['upstream.down'],
  quiet: null,
});
await make('/invitations', { email: 'grace@example.org', role: 'viewer' });
await make('/tokens', { name: 'script', scope: 'read' });
writeLog(stack, [
  { host: 'app.example', minutesAgo: 10, requests: 30, status: 200 },
  { host: 'app.example', minutesAgo: 5, requests: 5, status: 500 },
]);
await until(async () => (await get<{ total: number }>('/logs')).total === 35, 'the log');
const page = await dashboard.open({ colorScheme: 'light' });

/** @returns the new thing's id, if it has one */
async function make(path: string, json: object): Promise<number> {
  const { headers } = dashboard.owner;
  const made = await ask<{ id: number }>(`${dashboard.stack.hub}${path}`, { json, headers });
  if (made.status !== 201) throw new Error(`${path}: ${made.text}`);
  return made.body.id;
}

const text = (wanted: string | RegExp) => page.locator('main').getByText(wanted).first();
const button = (name: string | RegExp) => page.getByRole('button', { name }).first();

/** What each page shows of the hub's once it has loaded, with what it can open unfolded. */
const PAGES: Readonly<Record<string, () => Promise<Locator>>> = {
  '/': async () =>
    hasFeature('statistics')
      ? page.locator('.tile', { hasText: 'Requests' }).first()
      : page.getByRole('region', { name: 'Busiest sites' }),
  '/sites': async () => page.getByRole('link', { name: 'http://down.example' }).first(),
  '/sites/new': async () => {
    await unfold(page);
    return page.getByLabel('Config');
  },
  '/sites/SITE': async () => {
    await text('Caddy serves this site.').waitFor();
    return hasFeature('statistics')
      ? page.locator('.log-plot svg').first()
      : page.getByRole('region', { name: 'Live state' });
  },
  '/sites/SITE/edit': async () => {
    await unfold(page);
    return page.getByLabel('Config');
  },
  '/sites/SITE/log': async () => page.getByRole('grid', { name: 'Requests' }),
  '/sites/SITE/history': async () => button('Undo'),
  '/policies': async () => page.getByRole('link', { name: 'guests' }).first(),
  '/policies/POLICY': async () => text('http://app.example'),
  '/doors': async () => {
    await page.getByLabel('Select http://app.example').check();
    return button('Close 1 site');
  },
  '/logs': async () => {
    const row = page.locator('.log-row').first();
    if (!hasFeature('statistics')) return row;
    await row.waitFor();
    await button('Latency and figures').click();
    await page.getByText('Most frequent values').click();
    await page.locator('.log-top li').first().waitFor();
    await page.getByText('Show as a table').click();
    return page.getByRole('columnheader', { name: 'p95' });
  },
  '/certificates': async () => page.getByRole('region').first(),
  '/changelog': async () => text('http://down.example'),
  '/preamble': async () => page.getByLabel('Caddyfile text'),
  '/proxies': async () => page.getByRole('link', { name: 'local' }).first(),
  '/proxies/local': async () => text(/Caddy \d|2\.\d+\.\d+/),
  '/notifications': async () => page.getByRole('listitem').filter({ hasText: 'hook' }).first(),
  '/import': async () => page.getByRole('region').first(),
  '/users': async () => {
    await text('grace@example.org').waitFor();
    await button('Add user').click();
    return page.getByLabel('Email').first();
  },
  '/security-log': async () => page.getByRole('list', { name: 'Entries' }).locator('li').first(),
  '/account': async () => {
    await text('script').waitFor();
    await button('New token').click();
    return page.getByLabel('Token name');
  },
  '/no-such-page': async () => page.getByRole('heading', { name: /not found|no page/i }).first(),
};

test('each page of the menu is here, and can be opened by its address', async () => {
  await page.goto('/');
  const links = page.getByRole('navigation').getByRole('link');
  await links.first().waitFor();
  const paths = await links.evaluateAll((all) =>
    all.map((link) => link.getAttribute('href') ?? ''),
  );
  for (const path of ['/policies', '/changelog']) expect(paths).toContain(path);
  expect(paths.filter((path) => !(path in PAGES))).toEqual([]);
  for (const path of [...paths, '/sites/new', '/policies/new', '/policies/1']) {
    expect([path, (await page.request.get(path)).status()]).toEqual([path, 200]);
  }
});

test.each(Object.keys(PAGES))(
  '%s shows what the hub has, accessibly, and fits into 320 pixels',
  async (path) => {
    await page.goto(path.replace('SITE', String(site)).replace('POLICY', String(policy)));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await (await PAGES[path]?.())?.waitFor();
    expect(await flaws(page)).toEqual([]);
  },
);

test('a dialog is accessible', async () => {
  await page.goto(`/sites/${site}/edit`);
  await unfold(page);
  await button('Upload limit').click();
  await page.getByRole('dialog').waitFor();
  expect(await flaws(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the open bell is accessible', async () => {
  await page.goto('/');
  await page.getByRole('button', { name: /open problems?$/ }).click();
  await page.locator('.bell dl').getByText('Up to date', { exact: true }).waitFor();
  expect(await flaws(page)).toEqual([]);
});

test('the page of those who are not signed in is accessible', async () => {
  await page.context().clearCookies();
  await page.goto('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await flaws(page)).toEqual([]);
});
