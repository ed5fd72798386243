// proof: browser
/** The list of sites and the form of a site. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, freePort } from '../harness/stack.ts';
import {
  actOn,
  answerNext,
  BROWSER_TIMEOUT_MS,
  codeIn,
  markOf,
  openTab,
  problemCount,
  unfold,
} from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const page = await dashboard.open();

const sites = async () =>
  (
    await ask<{ id: number; domain: string; config: string; enabled: boolean }[]>(
      `${dashboard.stack.hub}/vhosts`,
      { headers: dashboard.owner.headers },
    )
  ).body;
/** Without any sites Caddy does not even listen. */
const served = () =>
  dashboard.stack.served('app.localhost').then(
    ({ text }) => text,
    () => 'nothing',
  );
const config = (on: Page) => on.getByLabel('Config');

describe('a site', () => {
  test('that Caddy would refuse is reported before and while saving, as text, and nothing is lost', async () => {
    const hostile = 'encode gzip\n"<img src=x onerror=alert(1)>" {upstream}';
    await page.goto('/sites');
    await page.getByRole('link', { name: 'New site' }).click();
    await page.getByLabel('Domain').fill('http://app.localhost');
    await page.getByLabel('Forward to').fill(dashboard.upstream);
    await unfold(page);
    await config(page).fill(hostile);
    await page.getByText('Caddy would refuse line 2').waitFor();
    expect(await page.locator('.bad-line').textContent()).toBe('2');
    await page.getByRole('button', { name: 'Create and publish' }).click();
    const refusal = page.getByRole('alert').locator('.proxy-words');
    await refusal.getByText('unrecognized directive: <img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await codeIn(config(page))).toBe(hostile);
    expect(await page.getByLabel('Domain').inputValue()).toBe('http://app.localhost');
    expect(await sites()).toEqual([]);
  });

  test('is created and goes live', async () => {
    await config(page).fill('encode gzip\nreverse_proxy {upstream}');
    await page.getByText('Caddy accepts this.').waitFor();
    expect(await page.locator('.diff-add').allTextContents()).toContain(
      '+added: http://app.localhost {',
    );
    await page.getByRole('button', { name: 'Create and publish' }).click();
    await page.getByText('http://app.localhost is live.').waitFor();
    expect(await served()).toBe('from the upstream');
  });

  test('is turned off and on in the list', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
    const name = 'http://app.localhost';
    await actOn(page, name, 'Turn off');
    await markOf(page, name, 'off').waitFor();
    expect(await served()).not.toBe('from the upstream');
    await page.getByText('http://app.localhost turned off').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await markOf(page, name, 'live').waitFor();
    expect(await served()).toBe('from the upstream');
    await page.getByText('turned off, and undone').waitFor();
    await actOn(page, name, 'Turn off');
    await markOf(page, name, 'off').waitFor();
    await actOn(page, name, 'Turn on');
    await page.getByText('http://app.localhost turned on').waitFor();
    expect(await served()).toBe('from the upstream');
  });

  test('is not turned back on if another tab has already turned it off', async () => {
    const name = 'http://app.localhost';
    // This tab does not notice the other's change.
    await page.route('**/api/status', (route) => route.fulfill({ status: 503 }));
    const [{ id } = { id: 0 }] = await sites();
    const headers = dashboard.owner.headers;
    const toggle = { method: 'PATCH', headers };
    await page.goto('/sites');
    await markOf(page, name, 'live').waitFor();
    await ask(`${dashboard.stack.hub}/vhosts/${id}/toggle`, toggle);
    await actOn(page, name, 'Turn off');
    await markOf(page, name, 'off').waitFor();
    expect((await sites())[0]?.enabled).toBe(false);
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.unroute('**/api/status');
    await ask(`${dashboard.stack.hub}/vhosts/${id}/toggle`, toggle);
  });

  test('that was deleted elsewhere is not reported as refused by Caddy', async () => {
    const headers = dashboard.owner.headers;
    const json = { domain: 'http://gone.localhost', config: 'respond gone' };
    const made = await ask<{ id: number }>(`${dashboard.stack.hub}/vhosts`, { json, headers });
    await page.goto(`/sites/${made.body.id}/edit`);
    await config(page).waitFor();
    await ask(`${dashboard.stack.hub}/vhosts/${made.body.id}`, { method: 'DELETE', headers });
    await config(page).fill('respond mine');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('There is no such site.').waitFor();
    expect(await preview.getByText('would').count()).toBe(0);
    await page.getByRole('button', { name: 'Save and publish' }).click();
    await page.getByRole('alert').getByText('There is no such site.').waitFor();
    expect(await codeIn(config(page))).toBe('respond mine');
    await page.goto(`/sites/${made.body.id}`);
    await page.locator('main').getByText('There is no such site.').waitFor();
  });

  test('stays as it was if Caddy refuses the change, and says why', async () => {
    const port = freePort();
    const made = await ask<{ id: number }>(`${dashboard.stack.hub}/vhosts`, {
      json: { domain: `http://late.localhost:${port}`, config: 'respond late', enabled: false },
      headers: dashboard.owner.headers,
    });
    // Now another program has its port.
    const other = Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } });
    await page.goto('/sites');
    const name = `http://late.localhost:${port}`;
    await actOn(page, name, 'Turn on');
    const dialog = page.getByRole('dialog', { name: `${name} is still off` });
    expect(await dialog.locator('.proxy-words').textContent()).toContain('address already in use');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await markOf(page, name, 'off').waitFor();
    other.stop(true);
    await ask(`${dashboard.stack.hub}/vhosts/${made.body.id}`, {
      method: 'DELETE',
      headers: dashboard.owner.headers,
    });
  });

  test('has an editor that indents with Tab, undoes it, and lets the keyboard out', async () => {
    await page.goto('/sites');
    await page.evaluate(() => document.documentElement.setAttribute('data-loaded', 'once'));
    await page.getByRole('link', { name: 'http://app.localhost' }).click();
    await openTab(page, 'Edit');
    const area = config(page);
    await area.fill('one\ntwo');
    await area.press('Control+A');
    await area.press('Tab');
    expect(await codeIn(area)).toBe('\tone\n\ttwo');
    await area.press('Control+Z');
    expect(await codeIn(area)).toBe('one\ntwo');
    await area.press('Escape');
    await area.press('Tab');
    expect(await area.evaluate((element) => element.matches(':focus'))).toBe(false);
  });

  test('with unsaved changes is not left without asking, by a link or by Back, and no page is reloaded', async () => {
    const url = page.url();
    const asked = answerNext(page, false);
    await page.getByRole('navigation').getByRole('link', { name: 'Policies' }).click();
    expect(await asked).toContain('Leave without saving?');
    expect(await codeIn(config(page))).toBe('one\ntwo');
    const askedAgain = answerNext(page, false);
    await page.evaluate(() => history.back());
    expect(await askedAgain).toContain('Leave without saving?');
    await page.waitForURL(url);
    expect(await codeIn(config(page))).toBe('one\ntwo');
    void answerNext(page, true);
    await page.evaluate(() => history.back());
    await page.getByRole('region', { name: 'Live state' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Policies' }).click();
    await page.getByRole('heading', { name: 'Policies' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    expect(await page.locator('html').getAttribute('data-loaded')).toBe('once');
  });

  test('is deleted only after a question, and restored by the undo that the list offers', async () => {
    await page.getByRole('link', { name: 'http://app.localhost' }).click();
    await openTab(page, 'Edit');
    await page.getByRole('button', { name: 'Delete …' }).click();
    const confirm = page.getByRole('button', { name: 'Delete site' });
    const [{ id } = { id: 0 }] = await sites();
    const path = `${dashboard.stack.hub}/vhosts/${id}`;
    const json = { tags: ['theirs'] };
    await ask(path, { method: 'PUT', headers: dashboard.owner.headers, json });
    await confirm.click();
    await page.getByRole('dialog').getByText('has changed since you read it').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await confirm.click();
    await page.getByText('You have no sites yet.').waitFor();
    expect(await served()).not.toBe('from the upstream');
    await page.getByText('http://app.localhost is deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'http://app.localhost', exact: true }).click();
    expect(await served()).toBe('from the upstream');
    await openTab(page, 'Edit');
    await page.getByRole('button', { name: 'Delete …' }).click();
    await confirm.click();
    await page.getByText('You have no sites yet.').waitFor();
    expect(await sites()).toEqual([]);
    expect(await served()).not.toBe('from the upstream');
  });
});

describe('many sites', () => {
  beforeAll(async () => {
    const operations = Array.from({ length: 300 }, (_, at) => ({
      op: 'create',
      domain: `http://s${String(at).padStart(3, '0')}.localhost`,
      upstream: at === 250 ? '127.0.0.1:7777' : dashboard.upstream,
      config: 'reverse_proxy {upstream}',
      enabled: at % 10 !== 0,
    }));
    const answer = await ask(`${dashboard.stack.hub}/vhosts/bulk`, {
      json: { operations },
      headers: dashboard.owner.headers,
    });
    expect(answer.status).toBe(200);
  });

  test('are all reached by scrolling, and found by a word, which is kept in the address', async () => {
    await page.goto('/sites');
    await page.getByText('300 sites').waitFor();
    expect(await page.locator('.virtual-row').count()).toBeLessThan(100);
    await page.mouse.wheel(0, 100_000);
    // Those that are off come last.
    await page.getByRole('link', { name: 'http://s290.localhost' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('7777');
    await page.getByText('1 of 300 sites').waitFor();
    expect(await page.locator('.virtual-row').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('7777');
  });
});

test('a page that crashes says so, and the bar stays', async () => {
  const [{ id } = { id: 0 }] = await sites();
  await page.route('**/api/vhosts/activity', (route) =>
    route.fulfill({ json: { vhosts: [{ id, requests: null }] } }),
  );
  await page.goto('/sites');
  await page.getByRole('alert').getByText('This page crashed').waitFor();
  await problemCount(page).waitFor();
  await page.unroute('**/api/vhosts/activity');
  await page.getByRole('navigation').getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('heading', { name: 'Policies' }).waitFor();
  expect(await page.getByText('This page crashed').count()).toBe(0);
});

test('a site can be changed by keyboard alone, and the focus stays', async () => {
  const [{ id } = { id: 0 }] = await sites();
  await page.goto(`/sites/${id}`);
  await page.getByRole('region', { name: 'Live state' }).waitFor();
  await page.keyboard.press('e');
  const tabTo = async (to: Locator) => {
    while (!(await to.evaluate((it) => it.matches(':focus')))) await page.keyboard.press('Tab');
  };
  await tabTo(page.locator('.site-more > summary'));
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').waitFor();
  await tabTo(config(page));
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nheader X-By keys');
  await page.keyboard.press('Escape');
  const button = page.getByRole('button', { name: 'Save and publish' });
  await tabTo(button);
  await page.keyboard.press('Enter');
  await page.getByText(/^Saved/).waitFor();
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  // There is nothing left to save, so this does nothing.
  await page.keyboard.press('Enter');
  expect(await page.getByRole('alert').count()).toBe(0);
});
