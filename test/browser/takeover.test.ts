// proof: browser
/** The first publish to a Caddy that someone else configured. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { type ForeignCaddy, startBesideForeignCaddy } from '../harness/foreign-caddy.ts';
import { npmDatabase } from '../harness/npm-database.ts';
import { ask } from '../harness/stack.ts';
import { codeIn, problemCount, type Visit, visit } from '../harness/visit.ts';

// A browser is slow on a busy machine.

let stack: ForeignCaddy;
let browser: Browser;
let seen: Visit;

const served = () => stack.served('theirs.example').catch(() => 'nothing');
const preamble = async () =>
  (await ask<{ config: string }>(`${stack.hub}/preamble`, { headers: stack.owner.headers })).body
    .config;

beforeEach(async () => {
  stack = await startBesideForeignCaddy();
  browser = await launchBrowser();
  seen = await visit(browser, stack, stack.owner.token, {}, true);
});
afterEach(async () => {
  await browser?.close();
  await stack?.stop();
});

test('a preamble replaces someone else’s sites only after confirmation', async () => {
  const { page } = seen;
  const before = await preamble();
  const text = `{\n\thttp_port ${stack.httpPort}\n}\n# ours`;
  await page.goto('/preamble');
  await page.getByLabel('Caddyfile text').fill(text);
  await page.getByRole('button', { name: 'Save options …' }).click();
  await page.getByRole('button', { name: 'Save for all sites' }).click();
  await page.getByText('The proxy serves sites that signalbox did not write').waitFor();
  expect(
    await page
      .getByRole('main')
      .getByRole('link', { name: 'Import them first' })
      .getAttribute('href'),
  ).toBe('/import');
  expect(await codeIn(page.getByLabel('Caddyfile text'))).toBe(text);
  expect(await served()).toBe('theirs');
  expect(await preamble()).toBe(before);

  await page.getByRole('button', { name: 'replace them anyway' }).click();
  await page.getByRole('button', { name: 'Replace it' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await preamble()).toBe(text);
  expect(await served()).not.toBe('theirs');
  expect(seen.browserErrors).toEqual([]);
});

test('an import from Nginx Proxy Manager says that it replaces them, and does', async () => {
  const { page } = seen;
  const buffer = Buffer.from(npmDatabase('DELETE FROM access_list_auth'));
  await page.goto('/import?from=npm');
  await problemCount(page).waitFor();
  const file = { name: 'database.sqlite', mimeType: '', buffer };
  await page.getByLabel('Choose the database').setInputFiles(file);
  await page.getByText('They will be replaced.').waitFor();
  expect(await served()).toBe('theirs');
  await page.getByRole('button', { name: /^Import \d+ sites/ }).click();
  await page.getByRole('region', { name: 'Imported' }).waitFor();
  expect(await served()).not.toBe('theirs');
  expect(seen.browserErrors).toEqual([]);
});
