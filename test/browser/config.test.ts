import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { ask, type Stack, signUp, startStack, until } from '../harness/stack.ts';
import { answerNext, tooWide, type Visit, violations, visit } from '../harness/visit.ts';

// A browser is slow on a busy machine.
setDefaultTimeout(60_000);

const HOSTILE = '<img src=x onerror=alert(1)>';

let stack: Stack;
let browser: Browser;
let seen: Visit;
let headers: Record<string, string>;

type Preamble = { config: string; updatedAt: string };
const call = <T>(method: string, path: string, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, ...(json === undefined ? {} : { json }) });
const preamble = async () => (await call<Preamble>('GET', '/preamble')).body;
const everything = async () => ({
  all: (await call('GET', '/export')).text,
  log: (await call('GET', '/changelog')).text,
  file: stack.readProxyfile(),
});
const served = async (name: string) => (await stack.served(`${name}.example`)).text;
const button = (name: string) => seen.page.getByRole('button', { name, exact: true });
const editor = () => seen.page.getByLabel('Caddyfile text');
const markedLine = () => seen.page.locator('.bad-line').textContent();

beforeAll(async () => {
  stack = await startStack();
  const { token, headers: own } = await signUp(stack);
  headers = own;
  await call('POST', '/vhosts', { domain: 'http://base.example', config: 'respond base' });
  browser = await launchBrowser();
  seen = await visit(browser, stack, token);
});
afterAll(async () => {
  await seen?.close();
  await browser?.close();
  await stack?.stop();
});
beforeEach(() => {
  seen.browserErrors.length = 0;
});

describe('the preamble', () => {
  test('that Caddy refuses has its line marked, stays in the editor, and changes nothing', async () => {
    const before = await everything();
    await seen.page.goto('/preamble');
    const wrong = `${(await preamble()).config.replace(/\n\}$/, '')}\n\tnonsense\n}`;
    const line = String(wrong.split('\n').length - 1);
    await editor().fill(wrong);
    for (const action of ['Preview', 'Save preamble …']) {
      await button(action).click();
      await seen.page.getByText('unrecognized global option').waitFor();
      expect(await markedLine()).toBe(line);
      expect(await editor().inputValue()).toBe(wrong);
    }
    expect(await seen.page.getByRole('dialog').count()).toBe(0);
    expect(await everything()).toEqual(before);
    expect(await violations(seen.page)).toEqual([]);
    expect(await tooWide(seen.page)).toBe(0);
    expect(seen.browserErrors).toEqual([]);
  });

  test('is not left with unsaved changes without asking', async () => {
    await seen.page.goto('/preamble');
    await editor().fill(`# ${HOSTILE}`);
    const asked = answerNext(seen.page, false);
    await seen.page.getByRole('link', { name: 'Sites' }).click();
    expect(await asked).toStartWith('Leave without saving?');
    expect(await editor().inputValue()).toBe(`# ${HOSTILE}`);
    await button('Discard changes').click();
    await seen.page.getByRole('link', { name: 'Sites' }).click();
    await seen.page.getByRole('heading', { name: 'Sites' }).waitFor();
  });

  test('shows the change to the Caddyfile, asks for confirmation, and is saved', async () => {
    await seen.page.goto('/preamble');
    const next = `${(await preamble()).config}\n\n# ${HOSTILE}\n(greet) {\n\trespond hi\n}`;
    await editor().fill(next);
    await button('Preview').click();
    const diff = seen.page.getByRole('region', { name: 'Changes to the Caddyfile' });
    await diff.getByText(`# ${HOSTILE}`).waitFor();
    expect((await preamble()).config).not.toBe(next);
    await button('Save preamble …').click();
    await button('Save for all sites').click();
    await seen.page.getByText('Saved', { exact: true }).waitFor();
    expect((await preamble()).config).toBe(next);
    expect(stack.readProxyfile()).toContain(`# ${HOSTILE}`);
    expect(await seen.page.locator('main img').count()).toBe(0);
    expect(seen.browserErrors).toEqual([]);
  });

  test('that someone else changed is not overwritten without asking', async () => {
    await seen.page.goto('/preamble');
    const { config } = await preamble();
    await editor().fill(`${config}\n# mine`);
    const theirs = `${config}\n# theirs`;
    await call('PUT', '/preamble', { config: theirs });
    await button('Save preamble …').click();
    await button('Save for all sites').click();
    await seen.page
      .getByText('Someone else changed the preamble while you were editing it')
      .waitFor();
    expect((await preamble()).config).toBe(theirs);
    expect(await editor().inputValue()).toBe(`${config}\n# mine`);
    expect(await violations(seen.page)).toEqual([]);
    await button('Overwrite theirs with mine').click();
    await seen.page.getByText('Saved', { exact: true }).waitFor();
    expect((await preamble()).config).toBe(`${config}\n# mine`);
  });
});

describe('an import', () => {
  const caddyfile = () =>
    `# ${HOSTILE}\n{\n\thttp_port ${stack.httpPort}\n\thttps_port ${stack.httpsPort}\n\tadmin off\n}\n\nhttp://new.example {\n\t# ${HOSTILE}\n\trespond "new"\n}\n\nhttp://two.example {\n\treverse_proxy 127.0.0.1:9\n}\n`;
  const text = () => seen.page.getByLabel('Caddyfile', { exact: true });

  test('that Caddy refuses has its line marked, and changes nothing', async () => {
    const before = await everything();
    await seen.page.goto('/import');
    await text().fill('http://x.example {\n\trespond x\n\tnonsense y\n}\n');
    await button('Review import').click();
    await seen.page.getByText('unrecognized directive: nonsense').waitFor();
    expect(await markedLine()).toBe('3');
    expect(await text().inputValue()).toContain('nonsense');
    expect(await everything()).toEqual(before);
    expect(seen.browserErrors).toEqual([]);
  });

  test('of an existing site is refused before it can be confirmed', async () => {
    await seen.page.goto('/import');
    await text().fill('http://base.example {\n\trespond other\n}\n');
    await button('Review import').click();
    await seen.page.getByRole('alert').getByText('in http://base.example:').waitFor();
    expect(await button('Import 1 site').count()).toBe(0);
    expect(await served('base')).toBe('base');
  });

  test('is dropped, reviewed without a change, confirmed, and served', async () => {
    const before = await everything();
    await seen.page.goto('/import');
    const area = seen.page.locator('.drop-area').first();
    const dataTransfer = await seen.page.evaluateHandle((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'Caddyfile'));
      return data;
    }, caddyfile());
    await area.dispatchEvent('dragover', { dataTransfer });
    await seen.page.getByText('Drop the file to load it').waitFor();
    await area.dispatchEvent('drop', { dataTransfer });
    await until(async () => (await text().inputValue()) === caddyfile(), 'the dropped text');
    await button('Review import').click();
    const plan = seen.page.getByRole('region', { name: 'Import plan' });
    await plan.getByText('This file contains 2 sites').waitFor();
    await plan.getByText('Line 5: admin').waitFor();
    await plan.getByText('http://new.example', { exact: true }).click();
    await plan.getByRole('region', { name: 'Configuration of http://new.example' }).waitFor();
    expect(await everything()).toEqual(before);
    expect(await violations(seen.page)).toEqual([]);
    expect(await tooWide(seen.page)).toBe(0);
    await button('Import 2 sites').click();
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Import 2 sites' }).click();
    await seen.page.getByText('2 sites imported').waitFor();
    expect(await served('new')).toBe('new');
    expect(await served('base')).toBe('base');
    await seen.page.getByRole('link', { name: 'Go to your sites' }).click();
    await seen.page.getByText('http://two.example').waitFor();
    expect(await seen.page.locator('main img').count()).toBe(0);
    expect(seen.browserErrors).toEqual([]);
  });
});

describe('export and restore', () => {
  test('the Caddyfile and the snapshot are those of the API', async () => {
    await seen.page.goto('/import');
    for (const [name, path, file] of [
      ['Download Caddyfile', '/proxyfile', /^signalbox-\d{4}-\d\d-\d\d\.caddyfile$/],
      ['Download snapshot', '/export', /^signalbox-\d{4}-\d\d-\d\d\.json$/],
    ] as const) {
      const [download] = await Promise.all([
        seen.page.waitForEvent('download'),
        seen.page.getByRole('link', { name }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(file);
      expect(await Bun.file(await download.path()).text()).toBe((await call('GET', path)).text);
    }
    await button('Show Caddyfile').click();
    const shown = seen.page.getByRole('region', { name: 'Caddyfile', exact: true });
    expect(await shown.textContent()).toBe((await call('GET', '/proxyfile')).text);
    expect(seen.browserErrors).toEqual([]);
  });

  test('a snapshot is summarized, confirmed by typing a word, and restored', async () => {
    const snapshot = (await call('GET', '/export')).text;
    await call('POST', '/vhosts', { domain: 'http://extra.example', config: 'respond extra' });
    await seen.page.goto('/import');
    const input = seen.page.getByLabel('Choose a snapshot');
    await input.setInputFiles({
      name: 'wrong.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"a":1}'),
    });
    await seen.page.getByText('This file is not a snapshot').waitFor();
    await input.setInputFiles({
      name: `${HOSTILE}.json`,
      mimeType: 'application/json',
      buffer: Buffer.from(snapshot),
    });
    await seen.page.getByText('Deleted: http://extra.example').waitFor();
    await button('Restore 3 sites').click();
    const dialog = seen.page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Restore 3 sites' });
    expect(await confirm.isDisabled()).toBe(true);
    expect(await served('extra')).toBe('extra');
    expect(await violations(seen.page)).toEqual([]);
    await dialog.getByLabel('Type replace to confirm').fill('replace');
    await confirm.click();
    await seen.page.getByText('Restored: 3 sites').waitFor();
    expect((await call('GET', '/export')).text).toBe(snapshot);
    expect(await served('extra')).not.toBe('extra');
    expect(seen.browserErrors).toEqual([]);
  });
});
