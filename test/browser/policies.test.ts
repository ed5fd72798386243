/** Policies in the dashboard: made, put on sites, changed, and made from the log. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { flaws } from '../harness/look.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const SITES = 9;

let dashboard: Dashboard;
let page: Page;
let clicks = 0;

type Labels = { domain: string; policies: string[]; tags: string[] };
const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
const sites = async () => (await call<Labels[]>('/vhosts')).body;
const policies = async () =>
  (await call<{ name: string; vhosts: number[] }[]>('/policies')).body.map(
    ({ name, vhosts }) => `${name} ${vhosts.length}`,
  );
const status = async (host: string) => (await dashboard.stack.served(host)).status;
const button = (name: string | RegExp) => page.getByRole('button', { name });
const box = (name: string) => page.getByRole('checkbox', { name });
const dialog = () => page.getByRole('dialog');
const click = async (target: { click: () => Promise<void> }) => {
  clicks++;
  await target.click();
};

beforeAll(async () => {
  dashboard = await startDashboard();
  const operations = Array.from({ length: SITES }, (_, at) => ({
    op: 'create',
    domain: `http://s${at + 1}.localhost`,
    config: 'reverse_proxy {upstream}',
    upstream: dashboard.upstream,
    tags: at < 2 ? ['media'] : [],
  }));
  expect((await call('/vhosts/bulk', { json: { operations } })).status).toBe(200);
  await dashboard.stack.served('s1.localhost');
  page = await dashboard.open();
});

afterAll(() => dashboard?.stop());

describe('the selected sites', () => {
  test('stay as they are if the values are refused, which is said at the field', async () => {
    await page.goto('/sites');
    await box('Select all these sites').check();
    await button('Policies …').click();
    await button('Authelia').click();
    await page.getByLabel('Address').fill('not an address');
    await button(`Put on ${SITES} sites`).click();
    await page.locator('.field-error').waitFor();
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    expect(await policies()).toEqual([]);
    expect(await flaws(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('do not leave a new policy behind if Caddy refuses them', async () => {
    await page.route('**/api/vhosts/bulk', (route) =>
      route.fulfill({
        status: 502,
        json: { code: 'PROXY_REJECTED', message: 'A stand-in refuses.' },
      }),
    );
    await page.reload();
    await box('Select http://s1.localhost').check();
    await button('Policies …').click();
    await button('Only some networks').click();
    await button('Put on 1 site').click();
    await dialog().getByText('A stand-in refuses.').waitFor();
    expect(await policies()).toEqual([]);
    await page.unroute('**/api/vhosts/bulk');
    await page.reload();
  });

  test('are behind a sign-in service in four clicks, and back with one', async () => {
    await box('Select all these sites').waitFor();
    clicks = 0;
    await click(box('Select all these sites'));
    await click(button('Policies …'));
    await click(button('Authelia'));
    await page.getByLabel('Address').fill('localhost:1');
    await click(button(`Put on ${SITES} sites`));
    await page.getByText(`Policy sign-in put on ${SITES} sites`).waitFor();
    expect(clicks).toBe(4);
    expect(await policies()).toEqual([`sign-in ${SITES}`]);
    // Nothing listens there: nobody gets in.
    await until(async () => (await status('s9.localhost')) === 502, 'the guard');
    await button('Undo').click();
    await page.getByText('and undone').waitFor();
    expect(await policies()).toEqual([]);
    await until(async () => (await status('s9.localhost')) === 200, 'the site');
  });

  test('are behind a password in four clicks', async () => {
    clicks = 0;
    await click(box('Select http://s1.localhost'));
    await click(button('Policies …'));
    await click(button('Password'));
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ada');
    await page.getByLabel('Password').fill('four clicks');
    await click(button('Put on 1 site'));
    await page.getByText('Policy password put on 1 site').waitFor();
    expect(clicks).toBe(4);
    await until(async () => (await status('s1.localhost')) === 401, 'the guard');
    expect(await status('s2.localhost')).toBe(200);
  });

  test('get tags, by which the list is filtered and grouped', async () => {
    await page.goto('/sites?policy=password');
    await page.getByText(`1 of ${SITES} sites`).waitFor();
    await box('Select all these sites').check();
    await button('Tags …').click();
    await dialog().getByRole('checkbox', { name: 'media' }).uncheck();
    await page.getByLabel('New tags').fill('work, home');
    await button('Save').click();
    await page.getByText('Tags of 1 site changed').waitFor();
    expect((await sites()).find(({ domain }) => domain.includes('//s1.'))?.tags).toEqual([
      'work',
      'home',
    ]);
    await button(/^Policy password/).click();
    await page.getByLabel('Tags').selectOption('media');
    await page.getByText(`1 of ${SITES} sites`).waitFor();
    expect(page.url()).toContain('tag=media');
    await page.getByLabel('Tags').selectOption('Grouped by tag');
    await page.getByText('Without a tag').waitFor();
    expect(await page.locator('.site-group').allTextContents()).toEqual([
      'home1 site',
      'media1 site',
      'work1 site',
      `Without a tag${SITES - 2} sites`,
    ]);
    expect(await flaws(page)).toEqual([]);
  });
});

describe('the page of policies', () => {
  test('says so if its code cannot be loaded, and loads it the next time', async () => {
    await page.goto('/sites');
    await page.route(/\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Policies', exact: true }).click();
    await page.getByText('Reload the page.').waitFor();
    await page.unroute(/\.js$/);
    await page.reload();
    await page.getByRole('link', { name: 'password', exact: true }).waitFor();
  });

  test('makes one of a recipe, and changes it with a preview of the whole diff', async () => {
    await page.goto('/policies/new');
    await page.getByRole('link', { name: 'Only some networks' }).click();
    await page.getByLabel('Networks').fill('192.0.2.1/33');
    await box('http://s2.localhost').check();
    await button('Create and publish').click();
    await page.getByText(/^192\.0\.2\.1\/33: /).waitFor();
    await page.getByLabel('Networks').fill('192.0.2.1/32');
    await button('Create and publish').click();
    await page.getByText('The policy lan-only is live on 1 site.').waitFor();
    await until(async () => (await status('s2.localhost')) === 403, 'the guard');
    expect(await flaws(page)).toEqual([]);

    await page.getByRole('link', { name: 'lan-only' }).click();
    await page.getByLabel('Networks').fill('private_ranges');
    await page.locator('.diff-add').filter({ hasText: 'private_ranges' }).waitFor();
    await button('Save and publish').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
  });

  test('does not overwrite what someone else has changed meanwhile', async () => {
    const [mine] = (await call<{ id: number; name: string }[]>('/policies')).body;
    await page.getByLabel('Networks').fill('10.0.0.0/8');
    const json = { values: { networks: ['192.0.2.7'] } };
    expect((await call(`/policies/${mine?.id}`, { method: 'PUT', json })).status).toBe(200);
    await button('Save and publish').click();
    await page.getByText('Someone else changed this policy').waitFor();
    await button('Discard my changes').click();
    expect(await page.getByLabel('Networks').inputValue()).toBe('192.0.2.7');
  });

  test('deletes none that sites have, and says how', async () => {
    await button('Delete …').click();
    await dialog().getByText('It is on 1 site.').waitFor();
    expect(await button('Delete policy').count()).toBe(0);
    await page.keyboard.press('Escape');
    await box('http://s2.localhost').uncheck();
    await button('Save and publish').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await button('Delete …').click();
    await button('Delete policy').click();
    await page.getByText('The policy lan-only is deleted.').waitFor();
    expect(await policies()).toEqual(['password 1']);
  });

  test('lets one apply to every site, except where it is left out', async () => {
    await page.goto('/policies/new?recipe=robots');
    await page.getByRole('textbox', { name: 'Policy name' }).fill('wide');
    await box('Apply to every site').check();
    expect(await box('http://s4.localhost').isChecked()).toBe(true);
    await box('http://s4.localhost').uncheck();
    await button('Create and publish').click();
    await page.getByText('The policy wide is live').waitFor();
    await page.getByText('every site, also new ones').waitFor();
    const robot = async (host: string) => {
      const headers = { Host: host, 'User-Agent': 'GPTBot' };
      return (await ask(`http://127.0.0.1:${dashboard.stack.httpPort}/`, { headers })).status;
    };
    await until(async () => (await robot('s3.localhost')) === 403, 'the guard');
    expect(await robot('s4.localhost')).toBe(200);

    await page.goto('/sites?policy=wide');
    await page.getByText(`${SITES - 1} of ${SITES} sites`).waitFor();
    await page.getByRole('link', { name: 'http://s3.localhost' }).first().click();
    await box('Leave wide out here').check();
    await button('Save and publish').click();
    await until(async () => (await robot('s3.localhost')) === 200, 'the exception');
    expect(await flaws(page)).toEqual([]);

    await page.goto('/policies');
    await page.getByRole('link', { name: 'wide', exact: true }).click();
    await button('Delete …').click();
    await dialog().getByText('turn off that it applies to every site').waitFor();
    await page.keyboard.press('Escape');
    await box('Apply to every site').uncheck();
    await box('All shown').check();
    await box('All shown').uncheck();
    await button('Save and publish').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await robot('s5.localhost')).toBe(200);
    await button('Delete …').click();
    await button('Delete policy').click();
    await page.getByText('The policy wide is deleted.').waitFor();
  });

  test('is described by the changelog', async () => {
    await page.goto('/changelog?domain=(policy lan-only)');
    await page.getByText('What changed: networks').first().click();
    await page.getByText('the policy lan-only').first().waitFor();
  });
});

describe('an address in the log', () => {
  test('is blocked on the site, but only once', async () => {
    await dashboard.stack.served('s5.localhost');
    const open = async () => {
      await page.goto('/logs?domain=s5.localhost');
      await button('Details').first().click();
      await button('Block this address …').click();
      await dialog().getByText('all sites').waitFor();
    };
    await open();
    await dialog().getByText('This is your own address').waitFor();
    await dialog().getByText('creates the policy blocked-s5-localhost').waitFor();
    expect(await flaws(page)).toEqual([]);
    await dialog()
      .getByRole('button', { name: /^Block / })
      .click();
    await dialog().getByRole('link', { name: 'blocked-s5-localhost' }).waitFor();
    await until(async () => (await status('s5.localhost')) === 403, 'the block');
    const groups = await call<{ summary: string }[]>('/changelog?grouped=true');
    expect(groups.body[0]?.summary).toMatch(/^Blocked [\d.:a-f]+ on 1 site$/);
    expect(await status('s6.localhost')).toBe(200);
    await open();
    await dialog().getByText('is already blocked there').waitFor();
    expect(
      await dialog()
        .getByRole('button', { name: /^Block / })
        .count(),
    ).toBe(0);
  });
});
