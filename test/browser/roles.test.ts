// proof: browser
/** What each role is shown: nobody gets a page, a link or a button that the hub would refuse. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { PASSWORD, startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, visit } from '../harness/visit.ts';

setDefaultTimeout(8 * BROWSER_TIMEOUT_MS);

const call = <T = { id: number }>(method: string, path: string, json?: unknown) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { method, headers: dashboard.owner.headers, json });

const dashboard = await forFile(startDashboard());
const { stack, upstream } = dashboard;
const guard = { name: 'lan', recipe: 'allow', values: { networks: ['private_ranges'] } };
await call('POST', '/policies', guard);
const json = { domain: 'http://a.localhost', upstream, config: 'reverse_proxy {upstream}' };
const site = (await call('POST', '/vhosts', { ...json, policies: ['lan'], check: { path: '/' } }))
  .body.id;
await call('PUT', `/vhosts/${site}`, { tags: ['media'] });
// Something is wrong, so that there is a problem to look at.
const broken = { domain: 'http://down.localhost', upstream: '127.0.0.1:9' };
await call('POST', '/vhosts', { ...broken, config: 'reverse_proxy {upstream}' });
await stack.served('a.localhost', '/page?token=of-a-visitor');
for (const role of ['viewer', 'editor']) {
  const account = { name: role, email: `${role}@example.org`, password: PASSWORD, role };
  await call('POST', '/users', account);
}

/** A page of somebody else, with the requests that the hub refused. */
async function openAs(role: string) {
  const { stack, browser } = dashboard;
  const json = { email: `${role}@example.org`, password: PASSWORD };
  const { body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json });
  const seen = await visit(browser, stack, body.token, { viewport: { width: 1280, height: 900 } });
  const refused: string[] = [];
  let waiting = 0;
  seen.page.on('request', () => {
    waiting += 1;
  });
  const over = () => {
    waiting -= 1;
  };
  seen.page.on('requestfailed', over);
  seen.page.on('requestfinished', over);
  seen.page.on('response', (answer) => {
    if (answer.status() === 403) refused.push(`${answer.request().method()} ${answer.url()}`);
  });
  const idle = async () => {
    // What a click starts, it starts by the next frame.
    await seen.page.evaluate('new Promise(requestAnimationFrame)');
    await until(() => waiting <= 0, 'the answers');
  };
  return { ...seen, refused, idle };
}

type Visitor = Awaited<ReturnType<typeof openAs>>;

/** Shows what is folded away, on this page. */
const unfold = (page: Page) =>
  page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');

/** These lead away, and are no business of a role. */
const NOT_CLICKED = /^(Sign out|As the system|Light|Dark|Live|Close)$/;

/** Presses each button of the page once, of those with the same name one, and lets no dialog act. */
async function pressAll(visitor: Visitor, path: string, pressed: Set<string>): Promise<void> {
  const { page, idle } = visitor;
  const buttons = page.locator('button:visible:enabled:not(.log-value, [aria-disabled=true])');
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? ''),
  );
  for (const name of new Set(names)) {
    if (NOT_CLICKED.test(name) || pressed.has(name)) continue;
    pressed.add(name);
    // The number of problems changes at any time.
    const same = new RegExp(name.split(/\d+/).map(RegExp.escape).join('\\d+'));
    const button = buttons.and(page.getByRole('button', { name: same })).first();
    if ((await button.count()) === 0) continue;
    await button.click();
    await idle();
    await page.keyboard.press('Escape');
    if (new URL(page.url()).pathname === path && (await page.locator('dialog').count()) === 0)
      continue;
    await page.goto(path);
    await idle();
    await unfold(page);
    await idle();
  }
}

/** Follows each link of the menu and of the pages, and presses their buttons. @returns the paths it saw */
async function walk(visitor: Visitor): Promise<{ paths: Set<string>; pressed: Set<string> }> {
  const { page, idle } = visitor;
  // On a busy machine a dialog may appear only after the key that closes it.
  await page.addLocatorHandler(page.locator('dialog[open]'), () => page.keyboard.press('Escape'));
  const paths = new Set(['/']);
  const pressed = new Set<string>();
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await idle();
    await unfold(page);
    await idle();
    const links = await page
      .locator('a[href^="/"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const link of links) {
      const to = link.replace(/[?#].*/, '');
      if (!to.startsWith('/api')) paths.add(to);
      else if (!paths.has(to))
        expect([link, (await page.request.get(link)).status()]).toEqual([link, 200]);
    }
    expect([path, await page.getByText('This page is for').count()]).toEqual([path, 0]);
    await pressAll(visitor, path, pressed);
  }
  return { paths, pressed };
}

const FOR_EDITORS = ['/sites/new', `/sites/${site}/edit`, '/policies/new', '/preamble', '/import'];
const FOR_OWNERS = ['/users', '/security-log'];

describe('a viewer', () => {
  test('finds no way to anything that the hub refuses', async () => {
    const visitor = await openAs('viewer');
    const { paths, pressed } = await walk(visitor);
    expect(visitor.refused).toEqual([]);
    expect(visitor.browserErrors).toEqual([]);
    for (const path of [...FOR_EDITORS, ...FOR_OWNERS]) expect(paths).not.toContain(path);
    const tabs = ['', '/log', '/history'].map((tab) => `/sites/${site}${tab}`);
    const all = ['/sites', ...tabs, '/policies', '/policies/1', '/logs', '/certificates'];
    for (const path of [...all, '/changelog', '/proxies', '/notifications', '/account']) {
      expect(paths).toContain(path);
    }
    for (const name of ['Undo', 'Mark as known …', 'Save and publish', 'Pause …']) {
      expect(pressed).not.toContain(name);
    }
    await visitor.close();
  });

  test('sees what is served and who may come in, but no configuration, and no form', async () => {
    const { page, close, idle } = await openAs('viewer');
    await page.goto('/sites');
    await page.getByRole('link', { name: 'http://a.localhost' }).first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('button', { name: 'Actions of http://a.localhost' }).click();
    await page.getByRole('menuitem', { name: 'Log' }).waitFor();
    // No entry to turn it off, to edit, copy or delete it.
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Open', 'Log']);
    await page.goto(`/sites/${site}`);
    await page.getByRole('region', { name: 'Live state' }).waitFor();
    await idle();
    expect(await page.getByRole('form').count()).toBe(0);
    expect(await page.locator('main textarea, main .editor').count()).toBe(0);
    expect(await page.content()).not.toContain('reverse_proxy');
    await page.keyboard.press('e');
    await page.goto('/policies/1');
    await page.getByRole('heading', { name: 'lan' }).waitFor();
    await page.getByRole('link', { name: 'http://a.localhost' }).waitFor();
    await close();
  });

  test('is told at a forbidden address which role it is for, and nothing is asked for it', async () => {
    const { page, close, refused, idle } = await openAs('viewer');
    for (const path of [...FOR_EDITORS, ...FOR_OWNERS]) {
      await page.goto(path);
      const needed = FOR_OWNERS.includes(path) ? 'owner' : 'editor';
      await page.getByText(`This page is for the role “${needed}”.`).waitFor();
      await idle();
    }
    expect(refused).toEqual([]);
    await close();
  });

  test('whose role has changed gets the pages of the new one at the next refusal', async () => {
    const { page, close } = await openAs('viewer');
    await page.goto('/sites');
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    expect(await page.getByRole('link', { name: 'New site' }).count()).toBe(0);
    await page.route('**/api/auth/get-session', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { user: object };
      await route.fulfill({ json: { ...body, user: { ...body.user, role: 'editor' } } });
    });
    // Stands in for a hub that has changed the role meanwhile.
    await page.route('**/api/status', (route) =>
      route.fulfill({ status: 403, json: { code: 'FORBIDDEN_ROLE', message: 'No.' } }),
    );
    await page.getByRole('link', { name: 'New site' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await close();
  });
});

test('an editor finds no way to anything that the hub refuses', async () => {
  const visitor = await openAs('editor');
  const { paths, pressed } = await walk(visitor);
  expect(visitor.refused).toEqual([]);
  for (const path of FOR_EDITORS) expect(paths).toContain(path);
  for (const path of FOR_OWNERS) expect(paths).not.toContain(path);
  expect(pressed).toContain('Undo');
  for (const name of ['Add proxy', 'Add a channel', 'Rename …']) {
    expect(pressed).not.toContain(name);
  }
  await visitor.close();
});
