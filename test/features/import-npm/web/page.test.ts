// proof: browser
/** The move from Nginx Proxy Manager, as the dashboard leads through it, with the database of a real one. */
import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { KeptCertificateView } from '../../../../src/features/certificates/view.ts';
import type { NpmAnswer } from '../../../../src/features/import-npm/routes.ts';
import type { SiteState, Vhost } from '../../../../src/web/lib/types.ts';
import { PASSWORD, startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { npmDatabase, npmForm } from '../../../harness/npm-database.ts';
import { ask, startLocalCaStack, temporaryFolder } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, visit } from '../../../harness/visit.ts';

setDefaultTimeout(4 * BROWSER_TIMEOUT_MS);

/** With few passwords: each takes a second. */
const DATABASE = npmDatabase("DELETE FROM access_list_auth WHERE username <> 'alice'");
const FILE = { name: 'database.sqlite', mimeType: '', buffer: Buffer.from(DATABASE) };

const get = async <T>(path: string) =>
  (await ask<T>(`${stack.hub}${path}`, { headers: dashboard.owner.headers })).body;
const everything = async () => ({
  all: await get('/export'),
  log: await get('/changelog'),
  kept: await get('/certificates/kept'),
  file: stack.readProxyfile(),
});
/** What the API says of the same file. */
async function dryRun() {
  const given = { method: 'POST', raw: npmForm(DATABASE), headers: dashboard.owner.headers };
  return (await ask<NpmAnswer>(`${stack.hub}/import/npm?dryRun=true&taken=skip`, given)).body;
}
const chooser = () => page.getByLabel('Choose the database');
const plan = () => page.getByRole('region', { name: 'Import plan' });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name });

const dashboard = await forFile(startDashboard(startLocalCaStack));
const { stack } = dashboard;
for (const name of ['app', 'orphan']) {
  const json = { domain: `http://${name}.example.com`, config: 'respond mine' };
  await ask(`${stack.hub}/vhosts`, { json, headers: dashboard.owner.headers });
}
const page = await dashboard.open();
await page.goto('/import?from=npm');
await page.getByRole('heading', { name: 'Look' }).waitFor();

test('a file that is no database of it is refused, and nothing changes', async () => {
  const before = await everything();
  const other = join(temporaryFolder(), 'database.sqlite');
  const database = new Database(other);
  database.run('CREATE TABLE proxy_host (id INTEGER)');
  database.close();
  const text = { name: 'x.sqlite', mimeType: '', buffer: Buffer.from('<img src=x>') };
  for (const wrong of [text, other]) {
    await chooser().setInputFiles(wrong);
    await page.getByRole('alert').waitFor();
    expect(await plan().count()).toBe(0);
    expect(await button(/^Import \d/).count()).toBe(0);
  }
  expect(await everything()).toEqual(before);
});

test('a look shows the sites and what to know, each text once, and changes nothing', async () => {
  const before = await everything();
  const opened = page.waitForEvent('filechooser');
  await chooser().press('Enter');
  await (await opened).setFiles(FILE);
  const { merge, notes } = await dryRun();
  expect(merge.sites.length).toBeGreaterThan(90);
  await plan().getByText(`This file contains ${merge.sites.length} sites`).waitFor();
  for (const title of ['Off until you decide', 'Different from before', 'Good to know']) {
    await plan().locator('summary', { hasText: title }).waitFor();
  }
  const texts = new Set(notes.map(({ level, text }) => `${level} ${text}`));
  expect(texts.size).toBeLessThan(notes.length);
  expect(await plan().locator('ul:not(.plan-sites) > li').count()).toBe(texts.size);
  const long = plan().locator('li').filter({ hasText: 'Block Common Exploits' });
  const last = notes.findLast(({ text }) => text.includes('Block Common Exploits'))?.domain ?? '';
  expect(await long.getByText(last).isVisible()).toBe(false);
  await long.getByText(/^and \d+ more$/).click();
  expect(await long.getByText(last).isVisible()).toBe(true);
  const shown = await plan().locator('.plan-sites').last().locator('li').count();
  expect(shown).toBe(merge.sites.filter(({ action }) => action === 'create').length);
  expect(await page.locator('main img').count()).toBe(0);
  await button('Ask the last week').click();
  await page.locator('[aria-label="The last week"] [role=status] p').first().waitFor();
  expect(await everything()).toEqual(before);
});

test('a wildcard leads to the form that gets a certificate by DNS, with its names', async () => {
  const link = plan().getByRole('link', { name: 'Get it by DNS' });
  const opened = page.context().waitForEvent('page');
  await link.first().click();
  const other = await opened;
  await other.waitForLoadState();
  expect(new URL(other.url()).search).toBe('?dns=*.home.example+home.example');
  await other.close();
});

test('an editor may import, but is offered neither keys nor ports nor the snapshot', async () => {
  const account = { name: 'Eve', email: 'eve@example.org', password: PASSWORD, role: 'editor' };
  await ask(`${stack.hub}/users`, { json: account, headers: dashboard.owner.headers });
  const { body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, {
    json: account,
  });
  const seen = await visit(dashboard.browser, stack, body.token);
  await seen.page.goto('/import?from=npm');
  await seen.page.getByLabel('Choose the database').setInputFiles(FILE);
  await seen.page.getByRole('region', { name: 'Import plan' }).waitFor();
  await seen.page.getByText('have an owner move Caddy').waitFor();
  for (const text of ['Also take over', 'Move to 80 and 443', 'A snapshot', 'Get it by DNS']) {
    expect([text, await seen.page.getByText(text).count()]).toEqual([text, 0]);
  }
  expect(seen.browserErrors).toEqual([]);
  await seen.close();
});

test('an import asks, proves who it is for the keys, and is served, and replaces a site only if that is chosen', async () => {
  const { merge } = await dryRun();
  const action = `Import ${merge.sites.filter((site) => site.action === 'create').length + 1} sites`;
  await plan().getByRole('group', { name: 'http://app.example.com' }).waitFor();
  const conflict = plan().getByRole('group', { name: 'http://orphan.example.com' });
  await conflict.getByText('Replace', { exact: true }).click();
  await page.getByLabel(/^Also take over the uploaded certificates of \d+ sites/).check();
  const database = new Database(join(stack.dataDir, 'signalbox.db'));
  database.run('UPDATE sessions SET proved_at = 0');
  database.close();
  await page.getByText('1 site will be replaced.').waitFor();
  await page.getByText('Your 1 existing site will stay.').waitFor();
  await button(action).press('Enter');
  const proof = dialog('Prove who you are');
  await proof.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  const result = page.getByRole('region', { name: 'Imported' });
  await result.getByText(action.replace(/Import (.*)/, '$1 imported')).waitFor();
  // What had the focus is gone.
  expect(await result.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await plan().count()).toBe(0);
  expect((await get<KeptCertificateView[]>('/certificates/kept')).length).toBe(1);
  expect((await stack.served('short.example.org')).headers.get('location')).toContain(
    'https://example.com',
  );
  expect((await stack.served('app.example.com')).text).toBe('mine');
  expect((await stack.served('orphan.example.com')).text).not.toBe('mine');
});

test('each site that is on is linked on the present ports, also when the page is opened again', async () => {
  await page.reload();
  const list = page.getByRole('list', { name: 'Links to the imported sites' });
  const { httpPort, httpsPort } = stack;
  await list.getByRole('link', { name: `http://short.example.org:${httpPort}/` }).waitFor();
  const sites = (await get<Vhost[]>('/vhosts')).filter(({ tags }) => tags.includes('npm'));
  const on = sites.filter(({ enabled }) => enabled);
  expect(await list.getByRole('listitem').count()).toBe(on.length);
  await list.getByRole('link', { name: `https://hsts.secure.example:${httpsPort}/` }).waitFor();
  expect(await list.getByText('*.port.example.org', { exact: true }).count()).toBe(1);
  expect(await list.locator('a[href*="*"]').count()).toBe(0);
  const off = page.getByRole('link', { name: `${sites.length - on.length} imported sites` });
  expect(await off.getAttribute('href')).toBe('/sites?show=off&tag=npm');
});

test('a site without a certificate is not linked, but says when one can come', async () => {
  await page.route('**/api/vhosts/state', async (route) => {
    const states = (await (await route.fetch()).json()) as SiteState[];
    for (const { addresses } of states) for (const one of addresses) one.certificate = null;
    await route.fulfill({ json: states });
  });
  await page.reload();
  const line = page.getByText('hsts.secure.example has no certificate yet');
  await line.waitFor();
  expect(await page.locator('main a[href^="https:"]').count()).toBe(0);
  await page.unroute('**/api/vhosts/state');
});

test('the ports of Nginx Proxy Manager are refused with the reason while it runs', async () => {
  const message = 'Caddy cannot move to ports 80 and 443: 80 is held by nginx (pid 7).';
  // Stands in for one on ports that other tests may have.
  await page.route('**/api/ports/standard', (route) =>
    route.fulfill({ status: 409, json: { code: 'PORT_UNAVAILABLE', message } }),
  );
  await page.getByText(`Caddy’s ports: ${stack.httpPort} and ${stack.httpsPort}`).waitFor();
  await button('Move to 80 and 443').click();
  await page.getByRole('alert').getByText(message).waitFor();
  await page.unroute('**/api/ports/standard');
});
