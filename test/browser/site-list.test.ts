// proof: browser
/** The list of sites: problems first, order, figures, and changes to several sites. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { duration } from '../../src/web/lib/format.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, freePort, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, markOf } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

/** The address of the list. */
const LIST = '/sites';
const PHONE = { width: 375, height: 720 };

const down = `127.0.0.1:${freePort()}`;

const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
const lastPublish = async () =>
  (await call<{ lastPublish: { at: string; changes: number } }>('/status')).body.lastPublish;
const enabled = async () =>
  (await call<{ domain: string; enabled: boolean }[]>('/vhosts')).body.map(
    ({ domain, enabled }) =>
      `${domain.replace('http://', '').replace('.localhost', '')} ${enabled}`,
  );
const names = () => page.locator('.virtual-row .name').allTextContents();
const rowOf = (name: string) => page.getByRole('row').filter({ hasText: `${name}.localhost` });
const mark = (name: string, state: string) => markOf(page, `http://${name}.localhost`, state);
const pick = (name: string) =>
  page.getByRole('checkbox', { name: `Select http://${name}.localhost` }).check();
const button = (name: string | RegExp, exact = false) => page.getByRole('button', { name, exact });

const dashboard = await forFile(startDashboard());
const operations = [
  { domain: 'http://a.localhost', upstream: dashboard.upstream },
  { domain: 'http://b.localhost', upstream: dashboard.upstream },
  { domain: 'http://c.localhost', upstream: dashboard.upstream, enabled: false },
  { domain: 'http://down.localhost', upstream: down },
].map((site) => ({ op: 'create', config: 'reverse_proxy {upstream}', ...site }));
expect((await call('/vhosts/bulk', { json: { operations } })).status).toBe(200);
for (const name of ['a', 'b', 'b', 'down']) await dashboard.stack.served(`${name}.localhost`);
type Counted = { vhosts: { requests: number[] }[] };
await until(async () => {
  const { body } = await call<Counted>('/vhosts/activity');
  return body.vhosts.flatMap(({ requests }) => requests).reduce((a, b) => a + b, 0) === 4;
}, 'all requests');
const page = await dashboard.open();

/** The texts that do not fit into their boxes. */
const whatIsCut = (all: Element[]) =>
  all
    .filter(
      (one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1,
    )
    .map(({ textContent }) => textContent);

describe('the list', () => {
  test('shows a site with a problem first, and why', async () => {
    await page.goto(LIST);
    const row = rowOf('down');
    await mark('down', 'down').waitFor();
    expect(await row.locator('.site-reason').textContent()).toContain(down);
    // However long it is, it ends before the menu.
    const right = await row.locator('.site-reason').evaluate((it) => {
      Object.assign(it, { textContent: 'word '.repeat(200) });
      return it.getBoundingClientRect().right;
    });
    const links = await row.locator('.site-menu').boundingBox();
    expect(right).toBeLessThanOrEqual(links?.x ?? 0);
    await page.reload();
    await mark('down', 'down').waitFor();
    expect((await names())[0]).toBe('down.localhost');
    const counts = await page.locator('.site-tools label').allTextContents();
    expect(counts).toEqual(['All4', 'On3', 'Off1', 'Problems1', '24 h', '30 days']);
    await mark('a', 'live').waitFor();
    await mark('c', 'off').waitFor();
  });

  test('does not call a site live while the agent does not answer', async () => {
    await page.route('**/api/status', async (route) => {
      const body = await (await route.fetch()).json();
      const agent = { reachable: false, latencyMs: null };
      await route.fulfill({ json: { ...body, agent, proxy: { running: false, version: null } } });
    });
    await mark('a', 'not known').waitFor();
    expect(await page.getByRole('img', { name: 'live' }).count()).toBe(0);
    await page.unroute('**/api/status');
    await mark('a', 'live').waitFor();
  });

  test('is sorted by a column, which is kept in the address', async () => {
    await button('Requests, 1 h').click();
    await page
      .getByRole('columnheader', { name: 'Requests' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    expect((await names())[0]).toBe('b.localhost');
    await button('Site', true).click();
    await button('Site', true).click();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-site');
    const backwards = ['down', 'c', 'b', 'a'].map((name) => `${name}.localhost`);
    expect(await names()).toEqual(backwards);
    await page.reload();
    await page.locator('.virtual-row').nth(3).waitFor();
    expect(await names()).toEqual(backwards);
    await button('State').click();
    expect(new URL(page.url()).search).toBe('');
  });

  test('opens a site, and starts a new one from it', async () => {
    const { httpPort } = dashboard.stack;
    await button('Actions of http://a.localhost').click();
    const open = page.getByRole('menuitem', { name: 'Open' });
    expect(await open.getAttribute('href')).toBe(`http://a.localhost:${httpPort}/`);
    await page.getByRole('menuitem', { name: 'Copy' }).click();
    await page.getByLabel('Forward to').waitFor();
    expect(await page.getByLabel('Domain').inputValue()).toBe('');
    expect(await page.getByLabel('Forward to').inputValue()).toBe(dashboard.upstream);
    await page.goBack();
    await rowOf('a').waitFor();
  });

  test('has a menu of each site for the keyboard, which returns the focus', async () => {
    const menu = button('Actions of http://a.localhost');
    // Until its state is known, a site has no address to open.
    await mark('a', 'live').waitFor();
    await menu.focus();
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await until(async () => (await focused()) === 'Open', 'the focus on the first action');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Delete …');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Edit');
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('shows requests and latency as the API has them, and the former on a phone', async () => {
    type Counted = { vhosts: { id: number; requests: number[]; p95: number }[] };
    const { body } = await call<Counted>('/vhosts/activity');
    const most = body.vhosts.find(({ requests }) => requests.includes(2));
    const row = rowOf('b');
    const words = '2 requests, 0 errors (5xx), 0 rejected (4xx) in the last hour';
    await row.getByRole('img', { name: words }).waitFor();
    await rowOf('down')
      .getByRole('img', { name: /^1 request, 1 error \(5xx\)/ })
      .waitFor();
    await rowOf('down').getByText('1 error', { exact: true }).waitFor();
    const p95 = duration(most?.p95 ?? Number.NaN);
    await row.getByText(p95, { exact: true }).waitFor();
    await page.setViewportSize(PHONE);
    await row.getByRole('img', { name: words }).waitFor();
    const box = await row.locator('.site-requests').boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= PHONE.width).toBe(true);
    expect(await page.locator('.virtual-row :is(a, .site-reason)').evaluateAll(whatIsCut)).toEqual(
      [],
    );
    await button('Filter').click();
    await page.getByLabel('Sort by').selectOption('requests');
    await until(async () => (await names())[0] === 'b.localhost', 'the order');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(LIST);
  });
});

describe('several sites', () => {
  test('are not changed if that is cancelled, or if Caddy refuses one of them', async () => {
    await pick('a');
    await button(/^Delete/).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('li').allTextContents()).toEqual(['http://a.localhost']);
    // It can be undone, so nothing has to be typed.
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    const port = freePort();
    const json = { domain: `http://late.localhost:${port}`, config: 'respond x', enabled: false };
    const made = await call<{ id: number }>('/vhosts', { json });
    // Now another program has its port.
    const other = Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } });
    const before = await lastPublish();
    await page.reload();
    await pick('c');
    await page.getByRole('checkbox', { name: `Select ${json.domain}` }).check();
    await button('Turn on 2').click();
    await dialog.getByRole('button', { name: 'Turn on 2 sites' }).click();
    await dialog.getByRole('alert').getByText('address already in use').waitFor();
    expect(await enabled()).toContain('c false');
    expect(await lastPublish()).toEqual(before);
    await page.keyboard.press('Escape');
    other.stop(true);
    await call(`/vhosts/${made.body.id}`, { method: 'DELETE' });
    await page.reload();
  });

  test('are turned off and on by one request and one publish', async () => {
    const sent: string[] = [];
    const note = (request: { method: () => string; url: () => string }) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname);
    };
    page.on('request', note);
    for (const name of ['a', 'b', 'c']) await pick(name);
    expect(await button(/^Turn on/).textContent()).toBe('Turn on 1 …');
    await button('Turn off 2 …').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off 2 sites' }).click();
    await page.getByText('2 sites turned off').waitFor();
    expect(await enabled()).toEqual(['a false', 'b false', 'c false', 'down true']);
    expect(sent).toEqual(['/api/vhosts/bulk']);
    expect((await lastPublish()).changes).toBe(1);
    expect(await page.getByRole('region', { name: 'Selected sites' }).count()).toBe(0);
    page.off('request', note);

    await page.getByRole('checkbox', { name: 'Select all these sites' }).check();
    await button('Turn on 3 …').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on 3 sites' }).click();
    await page.getByText('3 sites turned on').waitFor();
    expect(await enabled()).toEqual(['a true', 'b true', 'c true', 'down true']);
    sent.length = 0;
    page.on('request', note);
    await button('Undo').click();
    await page.getByText('and undone').waitFor();
    expect(sent).toEqual([expect.stringMatching(/^\/api\/changelog\/groups\/\d+\/revert$/)]);
    expect(await enabled()).toEqual(['a false', 'b false', 'c false', 'down true']);
    page.off('request', note);
    await page.getByRole('checkbox', { name: 'Select all these sites' }).check();
    await button('Turn on 3 …').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on 3 sites' }).click();
    await page.getByText('3 sites turned on').waitFor();
  });

  test('get a check by one publish, which is undone at once, and none if one of them would fail it', async () => {
    const checks = async () =>
      (await call<{ check: object | null }[]>('/vhosts')).body.map(({ check }) => check);
    for (const name of ['a', 'down']) await pick(name);
    await button('Check …').click();
    const dialog = page.getByRole('dialog', { name: 'Check of 2 sites' });
    await dialog.getByRole('textbox', { name: 'Path' }).fill('/health');
    await dialog.getByRole('button', { name: 'Save and publish' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await checks()).toEqual([null, null, null, null]);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select http://down.localhost' }).uncheck();
    await pick('b');
    await button('Check …').click();
    await dialog.getByRole('textbox', { name: 'Path' }).fill('/health');
    const before = await lastPublish();
    await dialog.getByRole('button', { name: 'Save and publish' }).click();
    await page.getByText('Check of 2 sites changed').waitFor();
    const check = { path: '/health' };
    expect(await checks()).toEqual([check, check, null, null]);
    expect(await lastPublish()).not.toEqual(before);
    await button('Undo').click();
    await page.getByText('and undone').waitFor();
    expect(await checks()).toEqual([null, null, null, null]);
  });

  test('that the filter hides are not deleted with the others', async () => {
    for (const name of ['a', 'c']) await pick(name);
    await page.getByLabel('Search sites').fill('c.localhost');
    await button('Delete 1 …').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['http://c.localhost']);
    await button('Delete 1 site').click();
    await page.getByText('1 site deleted').waitFor();
    expect(await enabled()).toEqual(['a true', 'b true', 'down true']);
    await button('Undo').click();
    await page.getByText('1 site deleted, and undone').waitFor();
    expect(await enabled()).toEqual(['a true', 'b true', 'c true', 'down true']);
  });
});
