// proof: browser
/** The import of a Caddyfile. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn } from '../../../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const HOSTILE = '<img src=x onerror=alert(1)>';

const call = <T>(method: string, path: string, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });
const everything = async () => ({
  all: (await call('GET', '/export')).text,
  log: (await call('GET', '/changelog')).text,
  file: stack.readProxyfile(),
});
const served = async (name: string) => (await stack.served(`${name}.example`)).text;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const markedLine = () => page.locator('.bad-line').textContent();

const dashboard = await forFile(startDashboard());
const {
  stack,
  owner: { headers },
} = dashboard;
await call('POST', '/vhosts', { domain: 'http://base.example', config: 'respond base' });
const page = await dashboard.open();

describe('an import', () => {
  const caddyfile = () =>
    `# ${HOSTILE}\n{\n\thttp_port ${stack.httpPort}\n\thttps_port ${stack.httpsPort}\n\tadmin off\n}\n\nhttp://new.example {\n\t# ${HOSTILE}\n\trespond "new"\n}\n\nhttp://two.example {\n\treverse_proxy 127.0.0.1:9\n}\n`;
  const text = () => page.getByLabel('Caddyfile', { exact: true });

  test('that Caddy refuses has its line marked, and changes nothing', async () => {
    const before = await everything();
    await page.goto('/import');
    await text().fill('http://x.example {\n\trespond x\n\tnonsense y\n}\n');
    await button('Review import').click();
    await page.getByText('unrecognized directive: nonsense').waitFor();
    expect(await markedLine()).toBe('3');
    expect(await codeIn(text())).toContain('nonsense');
    expect(await everything()).toEqual(before);
  });

  test('of an existing site leaves it, or replaces it if that is chosen', async () => {
    const { id } = (await call<{ id: number; domain: string }[]>('GET', '/vhosts')).body.find(
      ({ domain }) => domain === 'http://base.example',
    ) ?? { id: 0 };
    await text().fill('(s) {\n\theader X y\n}\nhttp://base.example {\n\trespond other\n}\n');
    await button('Review import').click();
    const choice = page.getByRole('group', { name: 'http://base.example' });
    const conflict = page.getByRole('listitem').filter({ has: choice });
    await conflict.getByText('respond other').waitFor();
    await page.getByText('Added to the Caddy options: (s).').waitFor();
    await button('Import the Caddy options').waitFor();
    expect(await served('base')).toBe('base');
    await conflict.getByText('Replace', { exact: true }).click();
    await page.getByText('1 site will be replaced.').waitFor();
    await button('Import 1 site').click();
    await page.getByText('1 site imported').waitFor();
    expect(await served('base')).toBe('other');
    await call('PUT', `/vhosts/${id}`, { config: 'respond base' });
    expect(await served('base')).toBe('base');
  });

  test('stays in the editor while another source is chosen, also with the keyboard', async () => {
    await page.goto('/import');
    await text().fill('# mine');
    const from = page.getByRole('group', { name: 'Import from' });
    const chosen = () => from.locator(':checked + span').textContent();
    await from.getByText('A snapshot').click();
    await page.getByLabel('Choose a snapshot').waitFor();
    expect(await text().isVisible()).toBe(false);
    await page.reload();
    await page.getByLabel('Choose a snapshot').waitFor();
    expect(await chosen()).toBe('A snapshot');
    await from.getByText('A Caddyfile').click();
    await text().fill('# mine');
    await from.getByRole('radio', { name: 'A Caddyfile' }).press('ArrowLeft');
    expect(await chosen()).toBe('A snapshot');
    await from.getByRole('radio', { name: 'A snapshot' }).press('ArrowRight');
    expect(await chosen()).toBe('A Caddyfile');
    expect(await codeIn(text())).toBe('# mine');
    await text().fill('');
  });

  test('is dropped, reviewed without a change, confirmed, and served', async () => {
    const before = await everything();
    await page.goto('/import');
    const area = page.locator('.drop-area').first();
    const dataTransfer = await page.evaluateHandle((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'Caddyfile'));
      return data;
    }, caddyfile());
    await area.dispatchEvent('dragover', { dataTransfer });
    await page.getByText('Drop the file to load it').waitFor();
    await area.dispatchEvent('drop', { dataTransfer });
    await until(async () => (await codeIn(text())) === caddyfile(), 'the dropped text');
    await button('Review import').click();
    const plan = page.getByRole('region', { name: 'Import plan' });
    await plan.getByText('This file contains 2 sites').waitFor();
    await plan.getByText('1 line without effect').click();
    await plan.getByText('Line 5: admin').waitFor();
    await plan.getByText('http://new.example', { exact: true }).click();
    await plan.getByRole('region', { name: 'Configuration of http://new.example' }).waitFor();
    expect(await everything()).toEqual(before);
    await button('Import 2 sites').click();
    await page.getByText('2 sites imported').waitFor();
    expect(await served('new')).toBe('new');
    expect(await served('base')).toBe('base');
    await page.getByRole('link', { name: 'Go to your sites' }).click();
    await page.getByRole('link', { name: 'http://two.example' }).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });
});
