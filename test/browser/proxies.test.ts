// proof: browser
/** Several proxies in the dashboard: one is added, has sites placed on it, is paused and removed. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { formatInvitation } from '../../src/shared/invitation.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { startEnrollable } from '../harness/enrolled.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, unfold } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
/** What a proxy answers for the site. */
const served = async (port: number) =>
  (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'a.localhost' } })).text;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const box = (name: string) => page.getByRole('checkbox', { name });
const main = () => page.locator('main');
const dialog = () => page.getByRole('dialog');
const save = async (words: string) => {
  await button('Save and publish').click();
  await page.locator('form').getByText(words).waitFor();
};

const dashboard = await forFile(startDashboard());
const other = await forFile(startEnrollable());
writeFileSync(other.proxyfile, other.site('foreign'));
await other.restart(true);
const json = { domain: 'http://a.localhost', config: 'respond "first"', agents: ['local'] };
const id = (await call<{ id: number }>('/vhosts', { json })).body.id;
const page = await dashboard.open({}, true);

test('with one proxy no page speaks of several, except the one that says what they are for', async () => {
  await page.goto(`/sites/${id}/edit`);
  await unfold(page);
  await page.getByLabel('Tags').waitFor();
  expect(await page.getByText('Where it is served').count()).toBe(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Proxies' }).click();
  await page.getByText('A second proxy serves your sites').waitFor();
  await page.getByRole('link', { name: 'local' }).click();
  await page.getByText('so it can only be paused here').waitFor();
  expect(await button('Remove …').count()).toBe(0);
});

describe('another proxy', () => {
  test('is not added by a wrong line or under a name that is taken', async () => {
    await page.goto('/proxies');
    await button('Add proxy').click();
    await page.getByText('sudo ./signalbox install agent --invite').waitFor();
    await page.getByLabel('Name').fill('local');
    await page.getByLabel('Invitation').fill('sbxi_nonsense');
    await button('Add this proxy').click();
    await page.getByText('This is not a valid invitation.').waitFor();
    await page.getByLabel('Invitation').fill(formatInvitation(other.invitation));
    await button('Add this proxy').click();
    await page.getByText('There is already an agent local.').waitFor();
  });

  test('is added by the line that its agent printed, but asks before it replaces sites', async () => {
    await page.getByLabel('Name').fill('vps');
    await button('Add this proxy').click();
    await page.getByText('Its Caddy serves sites that this hub did not publish').waitFor();
    expect(await other.served()).toBe('foreign');
    await button('replace them').click();
    await button('Replace it').click();
    await page.getByText(/^vps is added/).waitFor();
    expect(new URL(page.url()).pathname).toBe('/proxies/vps');
    await main().getByText('up to date', { exact: true }).waitFor();
  });

  test('gets a preamble of its own, and the common one stays', async () => {
    const common = (await call<{ config: string }>('/preamble')).body.config;
    const ports = `http_port ${other.httpPort}\n\thttps_port ${other.httpPort + 1}`;
    await button('Give it its own …').click();
    await page.getByLabel('Caddyfile text').fill(`{\n\t${ports}\n\tskip_install_trust\n}`);
    await button('Save options …').click();
    await button('Save for vps').click();
    await page.getByText('The Caddy options are live.').waitFor();
    expect((await call<{ own: boolean }>('/preamble?agent=vps')).body.own).toBe(true);
    expect((await call<{ config: string }>('/preamble')).body.config).toBe(common);
    await button('Show Caddyfile').click();
    await page
      .getByRole('region', { name: 'Caddyfile' })
      .getByText(`http_port ${other.httpPort}`)
      .waitFor();
  });
});

describe('a site', () => {
  test('is placed on the proxies that are ticked, and says so', async () => {
    await page.goto(`/sites/${id}/edit`);
    await page.getByText('Where it is served').waitFor();
    expect(await box('Everywhere').isChecked()).toBe(false);
    await box('vps').check();
    await save('Saved and live.');
    expect(await served(other.httpPort)).toBe('first');
    await page.getByTitle('show the sites of vps').waitFor();
    await box('local').uncheck();
    await save('Saved and live.');
    const { agents } = (await call<{ agents: string[] }>(`/vhosts/${id}`)).body;
    expect(agents).toEqual(['vps']);
  });

  test('is listed by proxy', async () => {
    await page.goto('/sites?agent=local');
    await page.getByText('No sites match.').waitFor();
    await page.getByLabel('Proxy').selectOption('vps');
    await page.getByRole('link', { name: 'http://a.localhost' }).waitFor();
    expect(page.url()).toContain('agent=vps');
  });

  test('keeps its only proxy from being removed', async () => {
    await page.goto('/proxies/vps');
    await button('Remove …').click();
    await dialog().getByLabel('Type vps to confirm').fill('vps');
    await button('Remove proxy').click();
    await dialog().getByText('Placed there: http://a.localhost.').waitFor();
    await page.keyboard.press('Escape');
  });

  test('is served everywhere again', async () => {
    await page.goto(`/sites/${id}/edit`);
    await box('Everywhere').check();
    expect(await box('vps').isChecked()).toBe(false);
    await save('Saved and live.');
    expect(await served(dashboard.stack.httpPort)).toBe('first');
  });
});

describe('several sites', () => {
  const places = async () =>
    Object.fromEntries(
      (await call<{ domain: string; agents: string[] }[]>('/vhosts')).body.map(
        ({ domain, agents }) => [domain.slice('http://'.length), agents],
      ),
    );
  const lastPublish = async () =>
    (await call<{ lastPublish: { at: string; changes: number } }>('/status')).body.lastPublish;
  // In turn: Playwright has one pointer, and of two clicks at a time one may be lost.
  const pick = async (...names: string[]) => {
    for (const name of names) await box(`Select http://${name}`).check();
  };
  const before = { 'a.localhost': [], 'b.localhost': ['local'], 'shared.localhost': ['local'] };

  test('all stay where they are if Caddy refuses one of them there', async () => {
    // A snippet that the options of the other proxy do not have.
    const { config } = (await call<{ config: string }>('/preamble')).body;
    const preamble = `${config}\n(shared) {\n\theader X-By shared\n}\n`;
    await call('/preamble', { method: 'PUT', json: { config: preamble } });
    const made = [
      { domain: 'http://b.localhost', config: 'respond "b"', agents: ['local'] },
      { domain: 'http://shared.localhost', config: 'import shared', agents: ['local'] },
    ];
    for (const site of made) expect((await call('/vhosts', { json: site })).status).toBe(201);
    const published = await lastPublish();
    await page.goto('/sites');
    await pick('b.localhost', 'shared.localhost');
    await button('Proxies …').click();
    await page.getByRole('dialog', { name: 'Proxies of 2 sites' }).waitFor();
    expect(await dialog().getByRole('checkbox', { name: 'local' }).isChecked()).toBe(true);
    await dialog().getByRole('checkbox', { name: 'vps' }).check();
    await button('Save and publish').click();
    await dialog().getByRole('alert').getByText('shared').first().waitFor();
    expect(await places()).toEqual(before);
    expect(await lastPublish()).toEqual(published);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('are placed on another proxy by one publish, and go back by one undo', async () => {
    const ofB = (port: number) =>
      ask(`http://127.0.0.1:${port}/`, { headers: { Host: 'b.localhost' } });
    await box('Select http://shared.localhost').uncheck();
    await pick('a.localhost');
    await button('Proxies …').click();
    await page.getByRole('dialog', { name: 'Proxies of 2 sites' }).waitFor();
    await dialog().getByRole('checkbox', { name: 'Everywhere' }).check();
    await dialog().getByRole('checkbox', { name: 'vps' }).check();
    await button('Save and publish').click();
    await page.getByText('Proxies of 2 sites changed').waitFor();
    expect(await places()).toEqual({
      ...before,
      'a.localhost': ['vps'],
      'b.localhost': ['vps'],
    });
    expect((await lastPublish()).changes).toBe(1);
    expect((await ofB(other.httpPort)).text).toBe('b');
    expect((await ofB(dashboard.stack.httpPort)).text).not.toBe('b');
    await button('Undo').click();
    await page.getByText('Proxies of 2 sites changed, and undone').waitFor();
    expect(await places()).toEqual(before);
    expect((await ofB(dashboard.stack.httpPort)).text).toBe('b');
    expect((await ofB(other.httpPort)).text).not.toBe('b');
  });
});

test('the log names the proxy of each request, and shows those of one', async () => {
  await served(other.httpPort);
  await page.goto('/logs?domain=a.localhost');
  await page.getByRole('columnheader', { name: 'Proxy' }).waitFor();
  const rows = page.locator('.log-row');
  await until(async () => (await rows.count()) === 3, 'three requests');
  await rows.getByRole('button', { name: 'vps' }).first().click();
  await until(async () => (await rows.count()) === 2, 'the requests to vps');
  expect(await page.getByLabel('Proxy', { exact: true }).inputValue()).toBe('vps');
  expect(await page.getByRole('columnheader', { name: 'Proxy' }).count()).toBe(0);
});

describe('a proxy that is paused', () => {
  test('is named with what it still serves, until it has the change', async () => {
    await page.goto('/proxies/vps');
    await button('Pause …').click();
    await button('Pause').click();
    await page.getByText('will not reach it until you resume it').waitFor();
    await page.goto(`/sites/${id}/edit`);
    await page.getByLabel('Config').fill('respond "second"');
    await save('Saved and live, but not on vps yet.');
    await page.getByText('vps did not get this change').waitFor();
    expect(await served(other.httpPort)).toBe('first');
    await page.getByRole('status').getByRole('link', { name: 'Proxies' }).click();
    await main().getByText('paused, out of date').waitFor();
    await page.getByRole('link', { name: 'vps' }).click();
    await button('Resume').click();
    await main().getByText('up to date', { exact: true }).waitFor();
    await page.getByText('vps did not get this change').waitFor({ state: 'detached' });
    expect(await served(other.httpPort)).toBe('second');
  });

  test('is in the changelog, without an undo', async () => {
    await page.goto('/changelog');
    await page.getByText('vps was out of date').waitFor();
    const resumed = page.getByRole('listitem').filter({ hasText: 'Resumed the proxy vps' });
    await resumed.waitFor();
    expect(await resumed.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByText('Changed the Caddy options of vps').waitFor();
  });
});

test('a proxy is renamed, gets a new token, and is removed', async () => {
  await page.goto('/proxies/vps');
  await button('Rename …').click();
  await dialog().getByLabel('Name').fill('local');
  await button('Rename').click();
  await dialog().getByText('There is already an agent local.').waitFor();
  await dialog().getByLabel('Name').fill('twin');
  await button('Rename').click();
  await page.getByRole('heading', { name: 'twin' }).waitFor();
  await button('New token …').click();
  await button('Give a new token').click();
  await dialog().waitFor({ state: 'detached' });
  await main().getByText('up to date', { exact: true }).waitFor();
  await button('Remove …').click();
  await dialog().getByLabel('Type twin to confirm').fill('twin');
  await button('Remove proxy').click();
  await page.getByText('twin is removed.').waitFor();
  await page.getByText('A second proxy serves your sites').waitFor();
  expect(await served(other.httpPort)).toBe('second');
});
