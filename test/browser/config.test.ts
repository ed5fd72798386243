// proof: browser
/** The preamble, export and restore. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { caddyIs } from '../harness/caddys.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { answerNext, BROWSER_TIMEOUT_MS, codeIn, textOf } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const HOSTILE = '<img src=x onerror=alert(1)>';

const dashboard = await forFile(startDashboard());
const { stack } = dashboard;
const { headers } = dashboard.owner;

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

for (const name of ['base', 'new', 'two']) {
  await call('POST', '/vhosts', { domain: `http://${name}.example`, config: `respond ${name}` });
}
const page = await dashboard.open();

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
    for (const action of ['Preview', 'Save options …']) {
      await button(action).click();
      await page.getByText('unrecognized global option').waitFor();
      expect(await markedLine()).toBe(line);
      expect(await codeIn(editor())).toBe(wrong);
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await everything()).toEqual(before);
    const unused = () => page.locator('.editor').evaluate(unusedWidth);
    await until(async () => (await unused()) === 0, 'an editor as wide as its box');
  });

  test('names the proxies before Caddy, and refuses those that are none', async () => {
    await page.goto('/preamble');
    const before = await everything();
    await button('Proxies before Caddy …').click();
    const dialog = page.getByRole('dialog', { name: 'Proxies before Caddy' });
    const addresses = dialog.getByLabel('Other addresses');
    const save = dialog.getByRole('button', { name: 'Save and publish' });
    await dialog.getByLabel('Cloudflare').check();
    await addresses.fill('0.0.0.0/0');
    await save.click();
    await dialog.getByText('or strangers are trusted too').waitFor();
    await addresses.fill('10.0.0.1\n10.1.0.0/16');
    await save.click();
    if (caddyIs('<2.8.0')) {
      await dialog.getByText('`trusted_proxies_strict` needs Caddy 2.8').waitFor();
      expect(await everything()).toEqual(before);
      return;
    }
    await dialog.waitFor({ state: 'detached' });
    expect(await codeIn(editor())).toContain(
      'trusted_proxies static cloudflare 10.0.0.1 10.1.0.0/16',
    );
    await button('Proxies before Caddy …').click();
    expect(await dialog.getByLabel('Cloudflare').isChecked()).toBe(true);
    await dialog.getByLabel('Cloudflare').uncheck();
    await addresses.fill('');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    expect(stack.readProxyfile()).toBe(before.file);
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
    await button('Save options …').click();
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
    await button('Save options …').click();
    // At the last moment.
    await page.route('**/api/preamble', async (route) => {
      if (route.request().method() === 'PUT') await call('PUT', '/preamble', { config: theirs });
      await route.continue();
    });
    await button('Save for all sites').click();
    await page
      .getByText('Someone else changed the Caddy options while you were editing it')
      .waitFor();
    expect((await preamble()).config).toBe(theirs);
    expect(await codeIn(editor())).toBe(`${config}\n# mine`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await button('Overwrite theirs with mine').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await preamble()).config).toBe(`${config}\n# mine`);
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
