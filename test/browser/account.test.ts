// proof: browser
/** Who did what: the changelog and its undo, then tokens, sessions and the password. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { PASSWORD, startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const HOSTILE = '<img src=x onerror=alert(1)>';

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const signIn = (password: string, email = 'ada@example.org') =>
  ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json: { email, password } });
const knows = async (token: string) =>
  (await ask(`${stack.hub}/sessions`, bearer(token))).status === 200;
const card = (name: string) => page.getByRole('region', { name, exact: true });
const entries = (name: string) => page.getByRole('list', { name }).getByRole('listitem');
const dialog = () => page.getByRole('dialog');

const call = <T = { id: number; config: string }>(method: string, path: string, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });
const create = async (name: string, config = `respond ${name}`) =>
  (await call('POST', '/vhosts', { domain: `http://${name}.example`, config })).body;
const served = async (name: string) => (await stack.served(`${name}.example`)).text;

/** The newest change of a site. */
const newest = (name: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ hasText: `${name}.example` })
    .first();
async function undo(entry: Locator): Promise<void> {
  await entry.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo this change' }).click();
}

const dashboard = await forFile(startDashboard(undefined, HOSTILE));
const {
  stack,
  owner: { headers },
} = dashboard;
const page = await dashboard.open();

describe('the changelog', () => {
  test('says so if nothing was changed yet', async () => {
    await page.goto('/changelog');
    await page.getByText('No changes yet.').waitFor();
  });

  test('refuses an undo that later changes prevent, and names them', async () => {
    const { id } = await create('later');
    await call('PUT', `/vhosts/${id}`, { config: 'respond second' });
    await call('PUT', `/vhosts/${id}`, { config: 'respond third' });
    await page.goto('/changelog');
    const second = page
      .getByRole('listitem')
      .filter({ hasText: 'Changed http://later.example' })
      .nth(1);
    await undo(second);
    const refusal = second.getByRole('alert');
    await refusal.getByText('Undo these first:').waitFor();
    await refusal.getByRole('link', { name: 'changed http://later.example' }).click();
    expect(await page.evaluate('document.activeElement.id')).toMatch(/^change-\d+$/);
    expect(await served('later')).toBe('third');
  });

  test('shows an update line by line and undoes it: Caddy serves the old config again', async () => {
    const config = 'header X-One 1\nrespond before';
    const { id } = await create('undone', config);
    await call('PUT', `/vhosts/${id}`, { config: `header X-One 1\nrespond "${HOSTILE}"` });
    expect(await served('undone')).toBe(HOSTILE);
    await page.goto('/changelog');
    const entry = newest('undone');
    await entry.getByText(': config, 1 line changed').waitFor();
    await entry.getByText('What changed').click();
    const diff = entry.getByRole('region', { name: 'Changes to config' });
    await diff.getByText(`respond "${HOSTILE}"`).waitFor();
    expect(await diff.locator('.diff-remove').textContent()).toContain('respond before');
    expect(await diff.locator('.diff-context').textContent()).toContain('header X-One 1');
    await entry.getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Restores the config of the site http://undone.example').waitFor();
    await dialog.getByRole('button', { name: 'Undo this change' }).click();
    await page.getByText('✓ Undone').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'undone' }).nth(2).waitFor();
    expect(await served('undone')).toBe('before');
    expect((await call('GET', `/vhosts/${id}`)).body.config).toBe(config);
  });

  test('shows only the changes to one site, and a hostile name as text', async () => {
    await create('one');
    await page.goto('/changelog');
    await newest('one').getByRole('link', { name: 'http://one.example' }).click();
    await until(async () => (await page.locator('.change').count()) === 1, 'the filtered list');
    expect(await page.getByLabel('Site').inputValue()).toBe('http://one.example');
    expect(new URL(page.url()).searchParams.get('domain')).toBe('http://one.example');
    await page.getByRole('listitem').filter({ hasText: 'Created' }).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'undone' }).count()).toBe(0);
    await page.goto(`/changelog?domain=${encodeURIComponent(HOSTILE)}`);
    await page.getByText('There are no such changes.').waitFor();
    expect(await page.getByLabel('Site').inputValue()).toBe(HOSTILE);
  });

  test('says whether a site was turned on or off and at which time, by whom and what alone', async () => {
    const { id } = await create('toggled');
    await call('PATCH', `/vhosts/${id}/toggle`);
    await call('PATCH', `/vhosts/${id}/toggle`);
    await page.goto('/changelog');
    await page.getByLabel('Site').fill('http://toggled.example');
    await page.getByLabel('Site').press('Enter');
    await page.getByLabel('Change').selectOption('Turned on or off');
    await page.getByText('Turned off http://toggled.example').waitFor();
    await page.getByText('Turned on http://toggled.example').waitFor();
    expect(await page.locator('.change').count()).toBe(2);
    expect(await newest('toggled').locator('time').textContent()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d$/,
    );
    await page.getByLabel('Person').selectOption(HOSTILE);
    await until(() => new URL(page.url()).searchParams.get('user'), 'the filter');
    await newest('toggled').waitFor();
    await page.goto('/changelog?user=unknown&action=x');
    await page.getByText('There are no such changes.').waitFor();
    await page.getByLabel('Person').getByText('Someone without an account').waitFor({
      state: 'attached',
    });
    await page.getByRole('link', { name: 'Show all changes' }).click();
    await newest('toggled').waitFor();
  });

  test('loads older changes', async () => {
    const { id } = await create('busy');
    const operations = Array.from({ length: 110 }, () => ({ op: 'toggle', id }));
    expect((await call('POST', '/vhosts/bulk', { operations })).status).toBe(200);
    await page.goto('/changelog');
    const older = page.getByRole('button', { name: 'Older changes' });
    const group = page.getByRole('listitem').filter({ hasText: 'Changed http://busy.example' });
    await group.getByText('110 changes', { exact: true }).click();
    await group.getByRole('link', { name: 'Show all 110 changes' }).click();
    await older.waitFor();
    expect(await page.locator('.change').count()).toBe(100);
    await older.click();
    await until(async () => (await page.locator('.change').count()) === 110, 'the older changes');
    expect(await older.count()).toBe(0);
  });

  test('shows an address that was blocked on several sites as one change, and undoes all of it or nothing', async () => {
    const ids = (await Promise.all(['shop', 'blog'].map((name) => create(name)))).map(
      ({ id }) => id,
    );
    const policy = { name: 'blocked', recipe: 'block', values: { networks: ['198.51.100.7'] } };
    const made = await call('POST', '/policies', policy);
    const put = ids.map((id) => ({ op: 'update', id, policies: ['blocked'] }));
    await call('POST', '/vhosts/bulk', { operations: put });
    const networks = ['198.51.100.7', '127.0.0.1'];
    await call('PUT', `/policies/${made.body.id}`, { values: { networks } });
    expect(await served('shop')).not.toBe('shop');
    await page.goto('/changelog');
    const blocked = page.getByRole('listitem').filter({ hasText: 'Blocked 127.0.0.1 on 2 sites' });
    await undo(blocked);
    await blocked.getByText('✓ Undone').waitFor();
    expect(await served('shop')).toBe('shop');

    const placed = page
      .getByRole('listitem')
      .filter({ hasText: 'Put the policy blocked on 2 sites' });
    await call('PUT', `/vhosts/${ids[0]}`, { policies: [] });
    await placed.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo 2 changes' }).click();
    await placed.getByText('Changed since: http://shop.example.').waitFor();
  });

  test('shows a hostile name as text', async () => {
    await page.goto('/changelog?domain=http://undone.example');
    await newest('undone').getByText('What changed').click();
    await page.getByRole('region', { name: 'Changes to config' }).waitFor();
    await newest('undone').getByText(HOSTILE).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });
});

describe('the account page', () => {
  beforeAll(async () => {
    await page.goto('/account');
    await entries('Sessions').first().waitFor();
  });

  describe('API tokens', () => {
    test('are shown once, work, and are refused once revoked', async () => {
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Token name').fill(HOSTILE);
      await page.getByLabel('Expires after').selectOption('30 days');
      await page.getByRole('button', { name: 'Create token' }).click();
      const token = (await dialog().locator('.secret code').textContent()) ?? '';
      await dialog().getByText(`curl -H 'Authorization: Bearer ${token}'`).waitFor();
      const use = (path: string, more: object = {}) =>
        ask(`${stack.hub}${path}`, { ...bearer(token), ...more });
      expect((await use('/vhosts')).status).toBe(200);
      const site = { domain: 'http://t.example', config: 'respond t' };
      expect((await use('/vhosts', { json: site })).status).toBe(403);
      await dialog().getByRole('button', { name: 'I have copied it' }).click();
      expect(await page.content()).not.toContain(token);

      const entry = entries('API tokens').filter({ hasText: HOSTILE });
      await entry.getByText('read only').waitFor();
      await entry.getByText('expires in').waitFor();
      await entry.getByRole('button', { name: `Revoke ${HOSTILE}` }).click();
      await dialog().getByRole('button', { name: 'Revoke token' }).click();
      await card('API tokens').getByText('You have no API tokens.').waitFor();
      expect((await use('/vhosts')).status).toBe(401);
      expect(await page.locator('main img').count()).toBe(0);
    });

    test('can be allowed to write, and to never expire', async () => {
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Token name').fill('deploy');
      await page.getByLabel('Read and write').check();
      await page.getByLabel('Expires after').selectOption('Never');
      await page.getByRole('button', { name: 'Create token' }).click();
      const token = (await dialog().locator('.secret code').textContent()) ?? '';
      const answer = await ask(`${stack.hub}/vhosts`, {
        ...bearer(token),
        json: { domain: 'http://t.example', config: 'respond t' },
      });
      expect(answer.status).toBe(201);
      await page.keyboard.press('Escape');
      await entries('API tokens').filter({ hasText: 'never expires' }).waitFor();
      await page.goto('/changelog');
      const made = page.getByRole('listitem').filter({ hasText: 'http://t.example' });
      await made.getByText('using the token deploy').waitFor();
      await page.goto('/account');
    });
  });

  test('sessions are ended one by one or all at once, except this one', async () => {
    const tokens = await Promise.all(
      [1, 2, 3].map(async () => (await signIn(PASSWORD)).body.token),
    );
    await page.reload();
    await until(async () => (await entries('Sessions').count()) === 4, 'four sessions');
    expect(
      await entries('Sessions').filter({ hasText: 'this session' }).getByRole('button').count(),
    ).toBe(0);
    await entries('Sessions').getByRole('button').first().click();
    await until(async () => (await entries('Sessions').count()) === 3, 'one session less');
    await card('Sessions').getByRole('button', { name: 'End all other sessions' }).click();
    await dialog().getByRole('button', { name: 'End sessions' }).click();
    await until(async () => (await entries('Sessions').count()) === 1, 'one session');
    expect(await Promise.all(tokens.map(knows))).toEqual([false, false, false]);
  });

  describe('the password', () => {
    const fill = async (current: string, next: string) => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password').fill(next);
      await page.getByRole('button', { name: 'Change password' }).click();
    };

    test('a wrong current one is refused beside its field, and nothing typed is lost', async () => {
      await fill('not the passphrase', 'a better passphrase');
      await card('Password').getByText('The current password is wrong.').waitFor();
      const field = page.getByLabel('Current password');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.inputValue()).toBe('not the passphrase');
      expect(await page.getByLabel('New password').inputValue()).toBe('a better passphrase');
      expect(await page.getByLabel('New password').getAttribute('aria-invalid')).toBeNull();
      expect((await signIn(PASSWORD)).status).toBe(200);
    });

    test('a change ends all other sessions and keeps this one', async () => {
      const other = (await signIn(PASSWORD)).body.token;
      await fill(PASSWORD, 'password');
      await card('Password').getByText('choose another').waitFor();
      expect(await knows(other)).toBe(true);
      await fill(PASSWORD, 'a better passphrase');
      await card('Password').getByText('Password changed.').waitFor();
      expect(await knows(other)).toBe(false);
      expect((await signIn(PASSWORD)).status).toBe(401);
      await page.reload();
      await entries('Sessions').filter({ hasText: 'this session' }).waitFor();
    });
  });

  test('the form of a token gives the focus back if it is cancelled', async () => {
    const open = page.getByRole('button', { name: 'New token' });
    await open.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await open.evaluate((button) => button === document.activeElement)).toBe(true);
  });
});
