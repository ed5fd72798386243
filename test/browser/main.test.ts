/** A first evening with signalbox, from the first account to an undo. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { PASSWORD } from '../harness/dashboard.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, problemCount } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let stack: Stack;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  stack = await startStack();
  browser = await launchBrowser();
  page = await browser.newPage({ baseURL: stack.hub.replace('/api', '') });
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 2);
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const served = () => stack.served('app.localhost').then(({ text }) => text);
const goTo = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

describe('an evening with a new hub', () => {
  test('starts with an account and a live site', async () => {
    await page.goto('/');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: 'Create your first site' }).click();
    await page.getByLabel('Domain').fill('http://app.localhost');
    await page.getByLabel('Config').fill('respond first');
    await page.getByRole('button', { name: 'Create and publish' }).click();
    await page.getByText('http://app.localhost is live.').waitFor();
    expect(await served()).toBe('first');
    await page.getByRole('link', { name: `http://app.localhost:${stack.httpPort}/` }).waitFor();
  });

  test('refuses a mistake without losing anything, and publishes a change', async () => {
    await page.getByLabel('Config').fill('respont second');
    await page.getByRole('button', { name: 'Save and publish' }).click();
    await page.getByRole('alert').getByText('unrecognized directive: respont').waitFor();
    expect(await codeIn(page.getByLabel('Config'))).toBe('respont second');
    expect(await served()).toBe('first');
    await page.getByLabel('Config').fill('respond second');
    await page.getByRole('button', { name: 'Save and publish' }).click();
    await page.getByText('Saved and live.').waitFor();
    expect(await served()).toBe('second');
  });

  test('shows requests in the log, and new ones as they arrive', async () => {
    await page.getByRole('link', { name: 'Logs', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Logs' }).waitFor();
    expect(new URL(page.url()).searchParams.get('domain')).toBe('app.localhost');
    await page.locator('.log-row').nth(2).waitFor();
    const before = await page.locator('.log-row').count();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await stack.served('app.localhost', '/just-now');
    await page.locator('.log-row').filter({ hasText: '/just-now' }).waitFor();
    expect(await page.locator('.log-row').count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Live' }).click();
  });

  test('ends with the change undone', async () => {
    await goTo('Changelog');
    const entry = page.getByRole('listitem').filter({ hasText: 'http://app.localhost' }).first();
    await entry.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo this change' }).click();
    await page.getByText('✓ Undone').waitFor();
    expect(await served()).toBe('first');
  });

  test('shows when the hub is gone, and recovers when it is back', async () => {
    await goTo('Sites');
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByText('The hub does not answer. Retrying …').waitFor();
    await goTo('Changelog');
    await page.locator('main').getByText('The hub does not answer.').waitFor();
    await page.unroute('**/api/**');
    await problemCount(page).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'http://app.localhost' }).first().waitFor();
  });
});
