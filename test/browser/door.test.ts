/** Signing up, in and out. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, problemCount, tooWide, violations } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let stack: Stack;
let browser: Browser;
let page: Page;
const browserErrors: string[] = [];

beforeAll(async () => {
  stack = await startStack();
  browser = await launchBrowser();
  page = await browser.newPage({ baseURL: stack.hub.replace('/api', '') });
  page.on('console', (message) => {
    if (message.type() === 'error') browserErrors.push(message.text());
  });
  page.on('pageerror', (error) => browserErrors.push(String(error)));
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

describe('the link that the hub prints', () => {
  test('fills in the setup code and leaves the address bar', async () => {
    const file = join(stack.dataDir, 'setup-code');
    const made = statSync(file).mtime;
    // Long ago, so that the code is asked for.
    utimesSync(file, 0, 0);
    for (const path of ['/', '/#setup=made-up-code']) {
      await page.goto(path);
      await page.getByLabel('Setup code').waitFor();
    }
    expect(await page.getByLabel('Setup code').inputValue()).toBe('made-up-code');
    expect(new URL(page.url()).hash).toBe('');
    utimesSync(file, made, made);
  });
});

describe('the sign-in page', () => {
  test('refuses a weak password beside its field and keeps what was typed', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Create the owner’s account' }).waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password').fill('password');
    await page.getByRole('button', { name: 'Create account' }).click();
    const field = page.getByLabel('Password');
    await page.locator('.field-error').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.org');
  });

  test('creates the owner, signs out and in again', async () => {
    await page.getByLabel('Password').fill('a long passphrase');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await problemCount(page).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    expect(await page.getByRole('button', { name: 'Create an account' }).count()).toBe(0);
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password').fill('not the passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong e-mail address or password.').waitFor();
    await page.getByLabel('Password').fill('a long passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('keeps what was typed if the session was ended elsewhere', async () => {
    await page.goto('/sites/new');
    await page.getByLabel('Config').fill('respond precious');
    // As another tab of the same browser does.
    await page.evaluate(() => fetch('/api/auth/sign-out', { method: 'POST' }));
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByLabel('Config').isVisible()).toBe(false);
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password').fill('a long passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'New site' }).waitFor();
    expect(await codeIn(page.getByLabel('Config'))).toBe('respond precious');
    page.once('dialog', (dialog) => dialog.accept());
    await page.goto('/');
    await problemCount(page).waitFor();
  });

  test('is accessible, and fits into 320 pixels', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
  });

  test('the browser reported no errors besides the refusals', () => {
    expect(browserErrors.filter((text) => !/status of 40[01]/.test(text))).toEqual([]);
  });
});
