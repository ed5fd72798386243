// proof: browser
/** The slider over the changes: what was live, what has changed since, the plan of the way back, the way back, and its undo. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Vhost } from '../../../../src/web/lib/types.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import { PASSWORD, startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { flaws } from '../../../harness/look.ts';
import { ask, until } from '../../../harness/stack.ts';
import { writeLog } from '../../../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS, visit } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const { stack, owner, browser } = dashboard;

/** @throws Error if the hub refuses it */
async function call<T>(method: string, path: string, json?: object): Promise<T> {
  const answer = await ask<T>(stack.hub + path, { method, json, headers: owner.headers });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

const sites = async () =>
  (await call<Vhost[]>('GET', '/vhosts')).map(({ domain, config }) => `${domain} ${config}`);
const create = (name: string) =>
  call<Vhost>('POST', '/vhosts', { domain: `http://${name}.example`, config: `respond ${name}` });
/** A page of an account of that role. */
async function openAs(role: 'viewer' | 'editor') {
  const account = { email: `${role}@example.org`, password: PASSWORD };
  await call('POST', '/users', { ...account, name: role, role });
  const { body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, {
    json: account,
  });
  return visit(browser, stack, body.token, { viewport: { width: 1280, height: 900 } });
}

const card = (of: Page) => of.getByRole('region', { name: 'What was live' });
const slider = (of: Page) => of.getByRole('slider', { name: 'What was live' });
/** Waits until the slider says a text that begins, or ends, so. */
const says = (words: string) =>
  page.locator(`input[aria-valuetext^="${words}"], input[aria-valuetext$="${words}"]`).waitFor();
const backButton = (of: Page) => card(of).getByRole('button', { name: 'Back to here …' });
const dialog = (of: Page) => of.getByRole('dialog');
const confirm = (of: Page) => dialog(of).getByRole('button', { name: 'Back to here' });
const note = (of: Page) => card(of).getByRole('status').filter({ hasText: 'brought back' });

/** Opens a page, and turns the slider back over so many changes, by the keyboard. */
async function goBack(of: Page, path: string, steps: number): Promise<void> {
  await of.goto(path);
  await slider(of).focus();
  for (let step = 0; step < steps; step += 1) await of.keyboard.press('ArrowLeft');
}

writeLog(stack, [{ host: 'kept.example', minutesAgo: 10, requests: 30, status: 200 }]);
await until(async () => (await call<{ total: number }>('GET', '/logs')).total === 30, 'the log');

const page = await dashboard.open();
const changes = page.waitForResponse((one) => one.url().includes('/api/changelog?grouped=true'));
await page.goto('/logs');
await (await changes).finished();
await page.locator('.log-row').first().waitFor();
/** While nothing had been changed. */
const drawnAtFirst = await slider(page).count();

/** Three changes: the slider has a place after each of the older ones, and one for now. */
const kept = await create('kept');
const gone = await create('gone');
const then = await sites();
await call('PUT', `/vhosts/${kept.id}`, { config: 'respond changed' });
await call('DELETE', `/vhosts/${gone.id}`);
const now = await sites();

test('draws nothing where nothing was changed', () => expect(drawnAtFirst).toBe(0));

describe('a viewer', () => {
  test('sees which sites there were, and whether they were on, and no way back', async () => {
    const visitor = await openAs('viewer');
    const asked: string[] = [];
    visitor.page.on('request', (one) => asked.push(new URL(one.url()).pathname));
    await goBack(visitor.page, '/', 2);
    await card(visitor.page).getByText('2 sites').click();
    await card(visitor.page).getByText('http://gone.example was on.').waitFor();
    expect(await backButton(visitor.page).count()).toBe(0);
    await goBack(visitor.page, `/sites/${kept.id}`, 1);
    await card(visitor.page).getByText('http://kept.example was on.').waitFor();
    expect(await backButton(visitor.page).count()).toBe(0);
    expect(asked).not.toContain('/api/history/diff');
    expect(visitor.browserErrors).toEqual([]);
    await visitor.close();
  });
});

describe('the slider', () => {
  test('goes over the changes by the keyboard, and says date and change', async () => {
    await goBack(page, '/logs', 0);
    await says('Now, after: Deleted http://gone.example, by Ada');
    await page.keyboard.press('ArrowLeft');
    await says(', after: Changed http://kept.example, by Ada');
    expect(await slider(page).getAttribute('aria-valuetext')).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d,/,
    );
    await card(page).getByText('Deleted http://gone.example', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await card(page).getByText('Changed http://kept.example: config').waitFor();
    await card(page).getByText('Changes to the Caddyfile').click();
    expect(await card(page).getByLabel('Changes to the Caddyfile').textContent()).toContain(
      'respond changed',
    );
    await slider(page).focus();
    await page.keyboard.press('Home');
    await says(', after: Created http://kept.example, by Ada');
    await page.keyboard.press('End');
    await says('Now, after: Deleted');
    expect(await backButton(page).count()).toBe(0);
  });

  test('is accessible at three widths, with what has changed and with the plan', async () => {
    await goBack(page, '/', 2);
    await backButton(page).waitFor();
    expect(await flaws(page)).toEqual([]);
    await backButton(page).click();
    await dialog(page).getByText('Brings back http://gone.example').waitFor();
    expect(await flaws(page)).toEqual([]);
  });
});

describe('the way back', () => {
  test('of everything is planned, made at once, and undone at once', async () => {
    await goBack(page, '/', 2);
    await backButton(page).click();
    await dialog(page).getByText('Brings back http://gone.example').waitFor();
    await dialog(page).getByText('Changes http://kept.example: config').waitFor();
    await dialog(page).getByRole('button', { name: 'Ask the last week' }).waitFor();
    expect(await sites()).toEqual(now);
    await confirm(page).click();
    await note(page)
      .getByText(/^Everything brought back to \d{4}/)
      .waitFor();
    expect(await sites()).toEqual(then);
    await says('Now, after: Back to');
    await note(page).getByRole('button', { name: 'Undo' }).click();
    await note(page).getByText(', and undone').waitFor();
    expect(await sites()).toEqual(now);
  });

  test('of one site leaves the others as they are', async () => {
    await page.goto('/');
    await slider(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await backButton(page).click();
    await dialog(page).getByLabel('Bring back').selectOption('http://kept.example');
    await dialog(page).getByText('Policies and Caddy options').waitFor();
    await dialog(page).getByText('Changes http://kept.example: config').waitFor();
    expect(await dialog(page).getByText('gone.example').count()).toBe(1);
    await confirm(page).click();
    await note(page)
      .getByText(/^http:\/\/kept\.example brought back to/)
      .waitFor();
    expect(await sites()).toEqual(['http://kept.example respond kept']);
    await note(page).getByRole('button', { name: 'Undo' }).click();
    await note(page).getByText(', and undone').waitFor();
    expect(await sites()).toEqual(now);
  });

  test('on the page of a site is of that site', async () => {
    await page.goto(`/sites/${kept.id}`);
    await slider(page).focus();
    await page.keyboard.press('Home');
    await card(page).getByText('Changed http://kept.example: config').waitFor();
    expect(await card(page).getByText('gone.example').count()).toBe(0);
    await backButton(page).click();
    expect(await dialog(page).getByLabel('Bring back').count()).toBe(0);
    await confirm(page).click();
    await note(page).waitFor();
    expect(await sites()).toEqual(['http://kept.example respond kept']);
    await note(page).getByRole('button', { name: 'Undo' }).click();
    await note(page).getByText(', and undone').waitFor();
    expect(await sites()).toEqual(now);
  });

  test('from a request of the log begins at the moment when it came', async () => {
    const ts = Math.floor(Date.now() / 1000) + 1;
    await until(async () => Date.now() / 1000 > ts + 1, 'the next second');
    await call('PUT', `/vhosts/${kept.id}`, { config: 'respond later' });
    writeLog(stack, [{ host: 'kept.example', minutesAgo: 0, requests: 1, status: 500 }]);
    await page.goto('/logs');
    await page.locator('.log-row').first().getByRole('button', { name: 'Details' }).click();
    await page.getByRole('link', { name: 'The configuration that answered this' }).click();
    await slider(page).waitFor();
    await says(', when the request came');
    expect(await slider(page).evaluate((one) => one === document.activeElement)).toBe(true);
    expect(new URL(page.url()).pathname).toBe(`/sites/${kept.id}`);
    await call('PUT', `/vhosts/${kept.id}`, { config: 'respond changed' });
  });
});

describe('what cannot be', () => {
  const begun = async () => {
    const { certificate: chain, key } = await selfSigned(['home.example'], 30);
    await call('POST', '/certificates/kept', { name: 'home', chain, key });
    await call('PUT', `/vhosts/${kept.id}`, { config: 'respond again' });
    await call('PUT', `/vhosts/${kept.id}`, { config: 'respond last' });
  };

  test('is named before, or when it turns out to be so, in a sentence', async () => {
    await begun();
    const { page: editors, close, browserErrors } = await openAs('editor');
    await goBack(editors, '/', 1);
    await backButton(editors).click();
    await dialog(editors).getByText('Changes http://kept.example: config').waitFor();
    expect(await dialog(editors).getByText('stay as they are:').count()).toBe(0);
    await call('DELETE', '/certificates/kept/home');
    const before = await sites();
    await confirm(editors).click();
    await dialog(editors).getByText('certificate home cannot be what it was').waitFor();
    expect(await sites()).toEqual(before);
    await dialog(editors)
      .getByText('certificate home: Only owners can bring back a certificate.')
      .waitFor();
    await confirm(editors).click();
    await note(editors).waitFor();
    expect(await sites()).toEqual(['http://kept.example respond again']);
    expect(browserErrors).toEqual([]);
    await close();
  });

  test('because somebody was faster is said, and nothing is changed', async () => {
    await goBack(page, '/', 1);
    await backButton(page).click();
    await confirm(page).waitFor();
    // A stand-in for a change between the reading and the publish of the same request.
    const words = 'Something of it has been changed just now; nothing was restored.';
    await page.route('**/api/history/restore?*', async (route) => {
      if (route.request().postDataJSON().dryRun) return route.continue();
      const json = { code: 'STALE', message: words, hint: 'Try again.' };
      await route.fulfill({ status: 412, json });
    });
    const before = await sites();
    await confirm(page).click();
    await dialog(page).getByText(words).waitFor();
    await dialog(page).getByText('Try again.').waitFor();
    expect(await sites()).toEqual(before);
    await page.unroute('**/api/history/restore?*');
  });
});
