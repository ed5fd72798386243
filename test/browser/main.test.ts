/** A first evening with signalbox: signing up, out and in, a first site, and an undo. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../harness/browser.ts';
import { PASSWORD } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { startStack } from '../harness/stack.ts';
import {
  BROWSER_TIMEOUT_MS,
  codeIn,
  openTab,
  problemCount,
  signOut,
  unfold,
} from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const browserErrors: string[] = [];

const stack = await forFile(startStack());
const browser = await forFile(launchBrowser());
const page = await browser.newPage({ baseURL: stack.hub.replace('/api', '') });
page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 2);
page.on('console', (message) => {
  if (message.type() === 'error') browserErrors.push(message.text());
});
page.on('pageerror', (error) => browserErrors.push(String(error)));

test('the link that the hub prints fills in the setup code and leaves the address bar', async () => {
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

describe('the sign-in page', () => {
  test('refuses a weak password beside its field and keeps what was typed', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Create the owner’s account' }).waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Password').fill('password');
    await page.getByRole('button', { name: 'Create account' }).click();
    const field = page.getByLabel('Password');
    await page.locator('.field-error').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
  });

  test('creates the owner, signs out and in again', async () => {
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await problemCount(page).waitFor();
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    expect(await page.getByRole('button', { name: 'Create an account' }).count()).toBe(0);
    await page.getByLabel('Email').fill('ada@example.org');
    const wayBack = page.getByText('signalbox passwd');
    expect(await wayBack.count()).toBe(0);
    await page.getByLabel('Password').fill('not the passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong email address or password.').waitFor();
    expect(await wayBack.count()).toBe(1);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('keeps what was typed if the session was ended elsewhere', async () => {
    await page.goto('/sites/new');
    await unfold(page);
    await page.getByLabel('Config').fill('respond precious');
    // As another tab of the same browser does.
    await page.evaluate(() => fetch('/api/auth/sign-out', { method: 'POST' }));
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByLabel('Config').isVisible()).toBe(false);
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'New site' }).waitFor();
    expect(await codeIn(page.getByLabel('Config'))).toBe('respond precious');
    page.once('dialog', (dialog) => dialog.accept());
    await page.goto('/');
    await problemCount(page).waitFor();
  });
});

const served = () => stack.served('app.localhost').then(({ text }) => text);
const goTo = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

describe('an evening with a new hub', () => {
  test('starts with a live site', async () => {
    await page.getByRole('link', { name: 'Create your first site' }).click();
    await page.getByLabel('Domain').fill('http://app.localhost');
    await unfold(page);
    await page.getByLabel('Config').fill('respond first');
    await page.getByRole('button', { name: 'Create and publish' }).click();
    await page.getByText('http://app.localhost is live.').waitFor();
    expect(await served()).toBe('first');
    await page.getByRole('link', { name: `http://app.localhost:${stack.httpPort}/` }).waitFor();
  });

  test('refuses a mistake without losing anything, and publishes a change', async () => {
    await openTab(page, 'Edit');
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
    await openTab(page, 'Log');
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
    await goTo('Overview');
    await goTo('Changes');
    const entry = page.getByRole('listitem').filter({ hasText: 'http://app.localhost' }).first();
    await entry.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo this change' }).click();
    await page.getByText('✓ Undone').waitFor();
    expect(await served()).toBe('first');
  });

  test('the browser reported no errors besides the refusals', () => {
    expect(browserErrors.filter((text) => !/status of (40[01]|502)/.test(text))).toEqual([]);
  });

  test('says what became of a change whose answer was lost, once the hub is back', async () => {
    await goTo('Sites');
    await page.getByRole('link', { name: 'http://app.localhost', exact: true }).click();
    await openTab(page, 'Edit');
    const save = page.getByRole('button', { name: 'Save and publish' });
    for (const [isMade, text] of [
      [false, 'Your change was not made: save it again.'],
      [true, 'Saved and live.'],
    ] as const) {
      await page.getByLabel('Config').fill(`respond ${isMade}`);
      await page.route('**/api/**', async (route) => {
        if (isMade && route.request().method() === 'PUT') await route.fetch();
        await route.abort();
      });
      await save.click();
      await page.getByText('The change may or may not have been made.').waitFor();
      await page.unroute('**/api/**');
      await page.getByText(text).waitFor();
      expect(await page.getByText('may or may not').count()).toBe(0);
    }
    expect(await served()).toBe('true');
  });

  test('says the same of a new site, and opens it if it was made', async () => {
    await page.goto('/sites/new');
    await unfold(page);
    await page.getByLabel('Domain').fill('http://Lost.localhost');
    const save = page.getByRole('button', { name: 'Create and publish' });
    const lose = async (isMade: boolean) => {
      await page.getByLabel('Config').fill(`respond ${isMade}`);
      await page.route('**/api/**', async (route) => {
        const { pathname } = new URL(route.request().url());
        if (isMade && pathname === '/api/vhosts') await route.fetch();
        await route.abort();
      });
      await save.click();
      await page.getByText('The change may or may not have been made.').waitFor();
      await page.unroute('**/api/**');
    };
    await lose(false);
    await page.getByText('Your change was not made: save it again.').waitFor();
    expect(await page.getByText('may or may not').count()).toBe(0);
    await lose(true);
    await page.getByRole('heading', { level: 1, name: 'http://lost.localhost' }).waitFor();
    await page.getByText('http://lost.localhost is live.').waitFor();
    await goTo('Sites');
    await page.getByRole('link', { name: 'http://lost.localhost', exact: true }).waitFor();
  });

  test('makes it once, although it is not to be seen yet and somebody saves again', async () => {
    await page.goto('/sites/new');
    await page.getByLabel('Domain').fill('http://late.localhost');
    await unfold(page);
    await page.getByLabel('Config').fill('respond late');
    await page.route('**/api/vhosts', async (route) => {
      if (route.request().method() === 'GET') return route.fulfill({ json: [] });
      await route.fetch();
      await route.abort();
    });
    const save = page.getByRole('button', { name: 'Create and publish' });
    await save.click();
    await page.getByText('Your change was not made: save it again.').waitFor();
    await page.unroute('**/api/vhosts');
    await save.click();
    await page.getByRole('heading', { level: 1, name: 'http://late.localhost' }).waitFor();
    await page.getByText('http://late.localhost is live.').waitFor();
  });

  test('shows when the hub is gone, and recovers when it is back', async () => {
    await goTo('Sites');
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByText('The hub does not answer. Retrying …').waitFor();
    await goTo('Overview');
    await goTo('Changes');
    await page.locator('main').getByText('The hub does not answer.').waitFor();
    await page.unroute('**/api/**');
    await problemCount(page).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'http://app.localhost' }).first().waitFor();
  });
});
