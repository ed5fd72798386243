// proof: browser
/** What all pages share: theme, keys, the bell, waiting for a slow hub, and no request sent twice. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, openMenu, saidByBell } from '../harness/visit.ts';
import { words } from '../harness/words.ts';
import { shiftOf, watchShifts } from './shifts.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const json = { domain: 'http://a.localhost', config: 'respond first' };
const { headers } = dashboard.owner;
const id = (await ask<{ id: number }>(`${dashboard.stack.hub}/vhosts`, { json, headers })).body.id;
const page = await dashboard.open({ colorScheme: 'light' });
await watchShifts(page);

test.each(
  words(`
  / /sites /sites/new /sites/some /sites/some/edit /sites/some/log /sites/some/history /logs
  /changelog /preamble /proxies /notifications /import /import?from=npm /account
`),
)('%s asks the hub for nothing twice, and does not shift, while it loads', async (path) => {
  const asked: string[] = [];
  const note = (request: { url: () => string }) => asked.push(request.url());
  page.on('request', note);
  await page.goto(path.replace('some', String(id)));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  page.off('request', note);
  expect(asked.filter((url) => url.includes('/api/')).length).toBeGreaterThan(1);
  expect(asked.filter((url, at) => asked.indexOf(url) !== at)).toEqual([]);
  expect(await shiftOf(page)).toBeLessThan(0.1);
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
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/account');
  const light = await colours();
  await openMenu(page);
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await page.reload();
  const dark = await colours();
  expect([light.size, dark.size]).toEqual([1, 1]);
  expect(dark).not.toEqual(light);
  await openMenu(page);
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'As the system' }).check({ force: true });
  const theme = () => page.locator('html').getAttribute('data-theme');
  expect(await theme()).toBe('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html[data-theme=light]').waitFor();
});

test('a question mark lists the keys everywhere, unless it is typed into a field, and Ctrl+S asks before it saves for all', async () => {
  await page.goto('/preamble');
  const text = page.getByLabel('Caddyfile text');
  await text.press('Control+End');
  await text.pressSequentially('\n# ?');
  expect(await codeIn(text)).toContain('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await text.press('Control+s');
  await page.getByRole('dialog', { name: 'Save the Caddy options?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Save and publish what you are editing').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

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
const open = () => page.getByRole('button', { name: /open problems?$/ }).click();
const panel = () => page.getByRole('dialog', { name: 'Problems' });
const said = (words: string | RegExp) => saidByBell(page, words).waitFor();
const fact = (name: string) =>
  panel()
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .locator('dd');
const since = '2026-11-20T18:00:00.000Z';

describe('the bell', () => {
  test('shows as not known what nobody knows without the agent', async () => {
    await pretend(() => ({
      agent: { reachable: false, latencyMs: null },
      proxy: { running: false, version: null },
      problems: [{ code: 'AGENT_UNREACHABLE', level: 'bad', since, message: 'It is gone.' }],
    }));
    await said(/^1 problem:/);
    expect(await page.title()).toBe('(1) Overview · signalbox');
    await open();
    await panel().getByText('It is gone.').waitFor();
    expect(await fact('Up to date').textContent()).toBe('not known');
    expect(await fact('Caddy').textContent()).toBe('not known');
    expect(await panel().textContent()).not.toContain('served');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('is green only without problems, and opens to how everything is', async () => {
    await pretend(() => ({ problems: [] }));
    await said(/^No problems$/);
    expect(await page.title()).toBe('Overview · signalbox');
    expect(await page.locator('.bell-count').count()).toBe(0);
    await open();
    expect(await fact('Up to date').textContent()).toBe('Caddy serves the stored sites');
    expect(await fact('Advisories').textContent()).toMatch(/known on \d{4}-\d\d-\d\d$/);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says what to change before an upgrade, only if there is something', async () => {
    const problem = { code: 'ADVISORY', level: 'warn', since, message: 'Caddy 2.11.4 is old.' };
    await pretend(() => ({ problems: [problem], beforeUpgrade: [] }));
    await open();
    await panel().getByText('Caddy 2.11.4 is old.').waitFor();
    expect(await panel().getByText('before the upgrade').count()).toBe(0);
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
    const items = panel().locator('.problem details[open] li');
    await items.first().waitFor();
    expect(await items.allTextContents()).toEqual([
      'The Caddy options of vps, line 3: It is twice. Keep the last.',
      'http://a.example, line 3: It is twice. Keep the last.',
    ]);
    expect(await items.nth(1).getByRole('link').getAttribute('href')).toBe('/sites/7');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('lists many problems by cause, the worst first, and fits a small phone', async () => {
    const message = 'a'.repeat(200);
    await pretend(() => ({
      problems: Array.from({ length: 120 }, (_, at) => ({
        code: 'UPSTREAM_DOWN',
        level: at < 60 ? 'bad' : 'warn',
        since,
        message: `${at} ${message}`,
        vhost: { id: at % 60, domain: `s${at % 60}.example` },
      })),
    }));
    await said(/^120 problems:/);
    expect(await page.title()).toBe('(120) Overview · signalbox');
    expect(await page.locator('.bell-count').textContent()).toBe('120');
    await open();
    const cards = panel().locator('.problems > li');
    await cards.first().getByRole('link', { name: 's0.example' }).waitFor();
    expect(await cards.locator('h3').allTextContents()).toEqual(
      Array(2).fill('The upstream of 60 sites is down'),
    );
    expect(await cards.first().locator('.problem:visible').count()).toBe(6);
    await cards.first().getByText('54 more', { exact: true }).click();
    expect(await cards.first().locator('.problem:visible').count()).toBe(50);
    await cards.first().getByText('10 more in the list of sites').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says how everything is on a phone, and a line above the page that the hub does not answer', async () => {
    const vhost = { id, domain: 'http://a-site-with-a-long-name.living-room.home.arpa:8080' };
    const down = { code: 'UPSTREAM_DOWN', level: 'bad', since, message: 'It is gone.', vhost };
    const before = page.viewportSize();
    const cut = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.offline strong, .bell [popover] dl *')]
          .filter(
            (it) =>
              it.scrollWidth > it.clientWidth || it.getBoundingClientRect().right > innerWidth,
          )
          .map((it) => it.textContent),
      );
    await pretend(() => ({ problems: [down] }));
    await page.goto('/sites');
    await said(vhost.domain);
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 700 });
      await page.getByRole('button', { name: '1 open problem' }).click();
      await panel().getByText('It is gone.').waitFor();
      await panel().getByText('Last publish').waitFor();
      expect([width, await cut()]).toEqual([width, []]);
      await page.keyboard.press('Escape');
    }
    await page.route('**/api/status', (route) => route.abort());
    await page.getByRole('alert').getByText('The hub does not answer').waitFor();
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await cut()]).toEqual([width, []]);
    }
    if (before) await page.setViewportSize(before);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('never makes the page wider, however long a problem is', async () => {
    const message = `No space on ${'/a/long/folder '.repeat(120)}`;
    await pretend(() => ({ problems: [{ code: 'WARNING', level: 'warn', since, message }] }));
    for (const path of ['/sites', '/']) {
      await page.goto(path);
      await said(/^1 problem:/);
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([path, wider]).toEqual([path, 0]);
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says how many more there are as it counts them, without those that are known', async () => {
    const known = { until: null, by: 'Ann' };
    const message = 'It is gone.';
    await pretend(() => ({
      problems: Array.from({ length: 8 }, (_, at) => ({
        key: String(at),
        code: 'UPSTREAM_DOWN',
        level: 'bad',
        since,
        message,
        vhost: { id: at, domain: `s${at}.example` },
        ...(at > 5 && { known }),
      })),
    }));
    await said(/^6 problems:/);
    const card = page.getByRole('region', { name: 'Problems' });
    await card.getByRole('heading', { name: '6 problems' }).waitFor();
    await card.getByRole('heading', { name: 'The upstream of 6 sites is down' }).waitFor();
    await card.getByText('2 known', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('names the site that is down, and leads to it', async () => {
    const message = 'The upstream of http://a.localhost is down: connection refused.';
    const vhost = { id, domain: 'http://a.localhost' };
    await pretend(() => ({
      problems: [{ code: 'UPSTREAM_DOWN', level: 'bad', since, message, vhost }],
    }));
    await page.goto('/sites');
    await said('a.localhost');
    await open();
    await panel().getByText('connection refused').waitFor();
    await panel().getByRole('link', { name: 'http://a.localhost' }).click();
    await page.getByRole('heading', { name: 'http://a.localhost', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sites/${id}`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

/** @returns null if the port is held already, or forbidden */
function holdPort80() {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port: 80, exclusive: true, socket: { data() {} } });
  } catch {
    return null;
  }
}

test('the move to ports that are not free is refused with the reason', async () => {
  const other = holdPort80();
  const { stack, owner } = dashboard;
  await page.goto('/');
  await open();
  const ports = panel()
    .locator('dl > div')
    .filter({ hasText: `${stack.httpPort} and ` });
  await ports.getByText(/\(80 is (held|forbidden)/).waitFor();
  await ports.getByRole('button', { name: 'Move to 80 and 443' }).click();
  await ports.getByRole('alert').getByText('Caddy cannot move to ports 80 and 443').waitFor();
  const { body } = await ask<{ config: string }>(`${stack.hub}/preamble`, owner);
  expect(body.config).toContain(`http_port ${stack.httpPort}`);
  other?.stop(true);
});
