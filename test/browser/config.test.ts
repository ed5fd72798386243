// proof: browser
/** The preamble, import, export and restore. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { ask, type Stack, until } from '../harness/stack.ts';
import { answerNext, BROWSER_TIMEOUT_MS, codeIn, textOf } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const HOSTILE = '<img src=x onerror=alert(1)>';

let dashboard: Dashboard;
let stack: Stack;
let page: Page;
let headers: Record<string, string>;

type Preamble = { config: string; updatedAt: string };
const call = <T>(method: string, path: string, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });
const preamble = async () => (await call<Preamble>('GET', '/preamble')).body;
const everything = async () => ({
  all: (await call('GET', '/export')).text,
  log: (await call('GET', '/changelog')).text,
  file: stack.readProxyfile(),
});
const served = async (name: string) => (await stack.served(`${name}.example`)).text;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const editor = () => page.getByLabel('Caddyfile text');
const markedLine = () => page.locator('.bad-line').textContent();

beforeAll(async () => {
  dashboard = await startDashboard();
  ({
    stack,
    owner: { headers },
  } = dashboard);
  await call('POST', '/vhosts', { domain: 'http://base.example', config: 'respond base' });
  page = await dashboard.open();
});
afterAll(() => dashboard?.stop());

/** Of the box of an editor. */
const unusedWidth = (box: Element) =>
  box.clientWidth - (box.shadowRoot?.querySelector('.cm-editor')?.clientWidth ?? 0);

describe('the preamble', () => {
  test('that Caddy refuses has its line marked, stays in the editor, and changes nothing', async () => {
    const before = await everything();
    await page.goto('/preamble');
    const wrong = `${(await preamble()).config.replace(/\n\}$/, '')}\n\tnonsense\n}`;
    const line = String(wrong.split('\n').length - 1);
    await editor().fill(wrong);
    for (const action of ['Preview', 'Save preamble …']) {
      await button(action).click();
      await page.getByText('unrecognized global option').waitFor();
      expect(await markedLine()).toBe(line);
      expect(await codeIn(editor())).toBe(wrong);
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await everything()).toEqual(before);
    expect(await page.locator('.editor').evaluate(unusedWidth)).toBe(0);
  });

  test('is not left with unsaved changes without asking', async () => {
    await page.goto('/preamble');
    await editor().fill(`# ${HOSTILE}`);
    const asked = answerNext(page, false);
    await page.getByRole('link', { name: 'Sites' }).click();
    expect(await asked).toStartWith('Leave without saving?');
    expect(await codeIn(editor())).toBe(`# ${HOSTILE}`);
    await button('Discard changes').click();
    await page.getByRole('link', { name: 'Sites' }).click();
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
  });

  test('shows the change to the Caddyfile, asks for confirmation, and is saved', async () => {
    await page.goto('/preamble');
    const next = `${(await preamble()).config}\n\n# ${HOSTILE}\n(greet) {\n\trespond hi\n}`;
    await editor().fill(next);
    await button('Preview').click();
    const diff = page.getByRole('region', { name: 'Changes to the Caddyfile' });
    await diff.getByText(`# ${HOSTILE}`).waitFor();
    expect((await preamble()).config).not.toBe(next);
    await button('Save preamble …').click();
    await button('Save for all sites').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await preamble()).config).toBe(next);
    expect(stack.readProxyfile()).toContain(`# ${HOSTILE}`);
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('that someone else changed is not overwritten without asking', async () => {
    await page.goto('/preamble');
    const { config } = await preamble();
    await editor().fill(`${config}\n# mine`);
    const theirs = `${config}\n# theirs`;
    await button('Save preamble …').click();
    // At the last moment.
    await page.route('**/api/preamble', async (route) => {
      if (route.request().method() === 'PUT') await call('PUT', '/preamble', { config: theirs });
      await route.continue();
    });
    await button('Save for all sites').click();
    await page.getByText('Someone else changed the preamble while you were editing it').waitFor();
    expect((await preamble()).config).toBe(theirs);
    expect(await codeIn(editor())).toBe(`${config}\n# mine`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await button('Overwrite theirs with mine').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await preamble()).config).toBe(`${config}\n# mine`);
  });
});

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
    const conflict = page.getByRole('group', { name: 'http://base.example' });
    await conflict.getByText('respond other').waitFor();
    await button('Import the preamble').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Added to the preamble: (s).').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await served('base')).toBe('base');
    await conflict.getByText('Replace', { exact: true }).click();
    await button('Import 1 site').click();
    await dialog.getByText('1 site will be replaced.').waitFor();
    await dialog.getByRole('button', { name: 'Import 1 site' }).click();
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
    await plan.getByText('Line 5: admin').waitFor();
    await plan.getByText('http://new.example', { exact: true }).click();
    await plan.getByRole('region', { name: 'Configuration of http://new.example' }).waitFor();
    expect(await everything()).toEqual(before);
    await button('Import 2 sites').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Import 2 sites' }).click();
    await page.getByText('2 sites imported').waitFor();
    expect(await served('new')).toBe('new');
    expect(await served('base')).toBe('base');
    await page.getByRole('link', { name: 'Go to your sites' }).click();
    await page.getByRole('link', { name: 'http://two.example' }).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });
});

describe('export and restore', () => {
  test('the Caddyfile, the snapshot and the YAML are those of the API', async () => {
    await page.goto('/import');
    for (const [name, path, file] of [
      ['Download Caddyfile', '/proxyfile', /^signalbox-\d{4}-\d\d-\d\d\.caddyfile$/],
      ['Download snapshot', '/export', /^signalbox-\d{4}-\d\d-\d\d\.json$/],
      ['Download YAML', '/export?format=yaml', /^signalbox-\d{4}-\d\d-\d\d\.yaml$/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(file);
      expect(await textOf(download)).toBe((await call('GET', path)).text);
    }
    await button('Show Caddyfile').click();
    const shown = page.getByRole('region', { name: 'Caddyfile', exact: true });
    expect(await shown.textContent()).toBe((await call('GET', '/proxyfile')).text);
  });

  test('a snapshot is summarized, confirmed by typing a word, and restored', async () => {
    const snapshot = (await call('GET', '/export')).text;
    await call('POST', '/vhosts', { domain: 'http://extra.example', config: 'respond extra' });
    await page.goto('/import?from=snapshot');
    const input = page.getByLabel('Choose a snapshot');
    await input.setInputFiles({
      name: 'wrong.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"a":1}'),
    });
    await page.getByText('This file is not a snapshot').waitFor();
    await input.setInputFiles({
      name: `${HOSTILE}.json`,
      mimeType: 'application/json',
      buffer: Buffer.from(snapshot),
    });
    await page.getByText('Deleted: http://extra.example').waitFor();
    await button('Restore 3 sites').click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Restore 3 sites' });
    expect(await confirm.isDisabled()).toBe(true);
    expect(await served('extra')).toBe('extra');
    await dialog.getByLabel('Type replace to confirm').fill('replace');
    await confirm.click();
    await page.getByText('Restored: 3 sites').waitFor();
    expect((await call('GET', '/export')).text).toBe(snapshot);
    expect(await served('extra')).not.toBe('extra');
  });
});
