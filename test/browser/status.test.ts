/** The status bar, the title and the menu: they count problems, and do not claim what nobody knows. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { ask, freePort, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, problemCount, tooWide, violations } from '../harness/visit.ts';

/** The hub asks for the states every ten seconds, and the page for the status every five. */
const SLOW = { timeout: BROWSER_TIMEOUT_MS };

setDefaultTimeout(3 * BROWSER_TIMEOUT_MS);

let dashboard: Dashboard;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await dashboard.open({}, true);
});
afterAll(() => dashboard?.stop());

type Status = {
  agent: object;
  proxy: object;
  problems: { code: string; level: string; since: string; message: string; vhost?: object }[];
  beforeUpgrade: object[];
};

/** Stands in for a hub whose status is another one. */
async function pretend(change: (status: Status) => Partial<Status>): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch();
    const status = (await response.json()) as Status;
    await route.fulfill({ json: { ...status, ...change(status) } });
  });
  await page.goto('/');
}
const open = () => page.locator('.status > summary').click();
const bar = () => page.locator('.status');
const fact = (name: string) =>
  bar()
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .locator('dd');
const since = '2026-11-20T18:00:00.000Z';

describe('the status bar', () => {
  test('shows as not known what nobody knows without the agent', async () => {
    await pretend(() => ({
      agent: { reachable: false, latencyMs: null },
      proxy: { running: false, version: null },
      problems: [{ code: 'AGENT_UNREACHABLE', level: 'bad', since, message: 'It is gone.' }],
    }));
    await bar().getByText('1 problem', { exact: true }).waitFor();
    expect(await page.title()).toBe('(1) Overview · signalbox');
    await open();
    await bar().getByText('It is gone.').waitFor();
    expect(await fact('In step').textContent()).toBe('not known');
    expect(await fact('Caddy').textContent()).toBe('not known');
    expect(await bar().textContent()).not.toContain('served');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('is green only without problems, and opens to how everything is', async () => {
    await pretend(() => ({ problems: [] }));
    await page.locator('.status-good').waitFor();
    expect(await page.title()).toBe('Overview · signalbox');
    expect(await page.locator('.problem-count').count()).toBe(0);
    await open();
    expect(await fact('In step').textContent()).toBe('Caddy serves what is stored');
    expect(await fact('Advisories').textContent()).toMatch(/known on \d{4}-\d\d-\d\d$/);
    expect(await violations(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says what to change before an upgrade, only if there is something', async () => {
    const problem = { code: 'ADVISORY', level: 'warn', since, message: 'Caddy 2.11.4 is old.' };
    await pretend(() => ({ problems: [problem], beforeUpgrade: [] }));
    await open();
    await bar().getByText('Caddy 2.11.4 is old.').waitFor();
    expect(await bar().getByText('before the upgrade').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });

    const found = { line: 3, since: '2.11.6', detail: 'It is twice.', instead: 'Keep the last.' };
    await pretend(() => ({
      problems: [problem],
      beforeUpgrade: [
        { ...found, agents: ['vps'] },
        { ...found, vhost: { id: 7, domain: 'http://a.example' } },
      ],
    }));
    await open();
    const items = bar().locator('.problem details[open] li');
    expect(await items.allTextContents()).toEqual([
      'The preamble of vps, line 3: It is twice. Keep the last.',
      'http://a.example, line 3: It is twice. Keep the last.',
    ]);
    expect(await items.nth(1).getByRole('link').getAttribute('href')).toBe('/sites/7');
    expect(await violations(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('lists many problems by site, the worst first, and fits a small phone', async () => {
    const message = 'a'.repeat(200);
    await pretend(() => ({
      problems: Array.from({ length: 120 }, (_, at) => ({
        ...{ code: 'UPSTREAM_DOWN', level: at < 60 ? 'bad' : 'warn', since },
        ...{ message: `${at} ${message}`, vhost: { id: at % 60, domain: `s${at % 60}.example` } },
      })),
    }));
    await bar().getByText('120 problems', { exact: true }).waitFor();
    await open();
    await bar().getByRole('link', { name: 's0.example' }).waitFor();
    expect(await bar().locator('.problems > li').count()).toBe(51);
    expect(await bar().locator('.problems > li').first().locator('.problem').count()).toBe(2);
    await bar().getByText('20 more problems in the list of sites').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('counts an upstream that is down, in title and menu as well, until it is back', async () => {
    await page.goto('/');
    await problemCount(page).waitFor();
    const before = Number((await problemCount(page).textContent())?.replace(/\D+/g, '') ?? 0);
    const { stack, owner } = dashboard;
    const port = freePort();
    const json = { domain: 'http://down.example', config: `reverse_proxy 127.0.0.1:${port}` };
    const { headers } = owner;
    const { id } = (await ask<{ id: number }>(`${stack.hub}/vhosts`, { headers, json })).body;
    expect((await stack.served('down.example')).status).toBe(502);
    await bar().getByText('The upstream of http://down.example is down').waitFor(SLOW);
    // A status that was read during the publish has one more: Caddy does not serve what is stored yet.
    const title = `(${before + 1}) Overview · signalbox`;
    await until(async () => (await page.title()) === title, 'the title', BROWSER_TIMEOUT_MS);
    const menu = page.getByRole('navigation').getByRole('link', { name: 'Overview' });
    expect(await menu.textContent()).toContain(String(before + 1));
    await open();
    await bar().getByText('connection refused').waitFor();
    await bar().getByRole('link', { name: 'http://down.example' }).click();
    await page.getByRole('heading', { name: 'http://down.example' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sites/${id}`);
    const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('back') });
    await until(async () => (await stack.served('down.example')).status === 200);
    const isOver = async () =>
      !(await page.locator('.status-worst').textContent())?.includes('down');
    await until(
      async () => (await page.locator('.status-worst').count()) === 0 || (await isOver()),
      'the end of the problem',
      60_000,
    );
    await server.stop(true);
    expect(dashboard.browserErrors()).toEqual([]);
  });
});
