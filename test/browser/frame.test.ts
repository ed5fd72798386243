// proof: browser
/** The frame around every page: bar, tabs, palette, widths, typeface and icon of the tab. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { PAGES } from '../../src/shared/pages.ts';
import { PASSWORD, startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, openMenu, saidByBell, visit } from '../harness/visit.ts';
import { words } from '../harness/words.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const { stack, browser } = dashboard;
const { headers } = dashboard.owner;
const make = async (path: string, json: object) =>
  (await ask<{ id: number }>(`${stack.hub}${path}`, { json, headers })).body.id;

const site = await make('/vhosts', { domain: 'http://app.localhost', config: 'respond first' });
const values = { networks: ['private_ranges'] };
const policy = await make('/policies', { name: 'at-home', recipe: 'allow', values });
for (const role of ['viewer', 'editor']) {
  const account = { name: role, email: `${role}@example.org`, password: PASSWORD, role };
  await make('/users', account);
}
const page = await dashboard.open({ colorScheme: 'light', reducedMotion: 'reduce' });

async function openAs(role: string) {
  const json = { email: `${role}@example.org`, password: PASSWORD };
  const { body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json });
  return visit(browser, stack, body.token, { viewport: { width: 1280, height: 800 } });
}

const linksIn = async (of: Page, name: string) => {
  const links = of.getByRole('navigation', { name }).getByRole('link');
  await links.first().waitFor();
  return links.allTextContents();
};
const menu = words('Overview Sites Policies Logs Certificates Proxies Settings');

describe('the menu', () => {
  test.each([
    ['viewer', ['Notifications', 'Account']],
    ['editor', ['Caddy options', 'Notifications', 'Import & export', 'Account']],
  ])(
    'of a %s has seven entries, and under Settings nothing that the hub refuses',
    async (role, tabs) => {
      const seen = await openAs(role);
      await seen.page.goto('/');
      expect(await linksIn(seen.page, 'Pages')).toEqual(menu);
      await seen.page.getByRole('link', { name: 'Settings' }).click();
      expect(await linksIn(seen.page, 'Settings')).toEqual(tabs);
      expect(seen.browserErrors).toEqual([]);
      await seen.close();
    },
  );

  test('of an owner has all', async () => {
    await page.goto('/account');
    expect(await linksIn(page, 'Pages')).toEqual(menu);
    expect(await linksIn(page, 'Settings')).toEqual([
      'Caddy options',
      'Notifications',
      'Import & export',
      'Users',
      'Security log',
      'Account',
    ]);
    const current = page.locator('nav [aria-current]');
    expect(await current.allTextContents()).toEqual(['Settings', 'Account']);
  });

  test('is a sheet on a phone, which closes once it has led somewhere', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/');
    expect(await page.getByRole('link', { name: 'Policies' }).count()).toBe(0);
    await openMenu(page);
    await page.getByRole('link', { name: 'Policies' }).click();
    await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('overlaps nothing at any width', async () => {
    await page.goto('/certificates');
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const width of [320, 390, 900, 901, 1000, 1100, 1125, 1150, 1151, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const state = width > 900 ? 'visible' : 'hidden';
      await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state });
      const faults = await page.evaluate(() => {
        const parts = [...document.querySelectorAll('.bar > :not([popover]), .bar nav a')];
        const boxes = parts
          .filter((part) => part.localName !== 'nav')
          .map((part) => part.getBoundingClientRect())
          .sort((a, b) => a.left - b.left);
        const over = boxes.filter((box, at) => box.left < (boxes[at - 1]?.right ?? 0));
        const tall = boxes.filter(({ height }) => height > 52);
        const bar = document.querySelector('.bar');
        return [over.length, tall.length, (bar?.scrollWidth ?? 0) > innerWidth];
      });
      expect([width, ...faults]).toEqual([width, 0, 0, false]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

test('tabs are reached and opened by the keyboard, and Back returns', async () => {
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Overview' }).waitFor();
  const isOn = (name: string) =>
    page.getByRole('link', { name, exact: true }).evaluate((link) => link.matches(':focus'));
  while (!(await isOn('Changes'))) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Changes', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/changelog');
  expect(await page.locator('nav.tabs [aria-current]').allTextContents()).toEqual(['Changes']);
  await page.goBack();
  await page.locator('nav.tabs [aria-current]', { hasText: 'Now' }).waitFor();
});

describe('the palette', () => {
  const field = () => page.getByRole('combobox', { name: 'Site, page, policy or action' });
  const chosen = () => page.locator('[role=option][aria-selected=true]');
  async function find(typed: string, title: string) {
    await page.keyboard.press('Control+k');
    await field().waitFor();
    await page.keyboard.type(typed);
    await chosen().getByText(title).waitFor();
  }

  test('changes nothing while another dialog is open, and nothing is found that is not there', async () => {
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await field().count()).toBe(0);
    await page.keyboard.press('Escape');
    await find('app', 'http://app.localhost');
    await page.keyboard.type('-nowhere');
    await page.getByText('Nothing fits.').waitFor();
    await page.keyboard.press('Enter');
    expect(await field().getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('goes to a site, a page and a policy by keys alone', async () => {
    await find('app', 'http://app.localhost');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sites/${site}`);
    await find('security', 'Security log');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Security log' }).waitFor();
    await find('home', 'at-home');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/policies/${policy}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('moves with the arrows, and says which one is chosen', async () => {
    await find('theme', 'Theme: as the system');
    await page.keyboard.press('ArrowUp');
    await chosen().getByText('Theme: dark').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await chosen().getByText('Theme: light').waitFor();
    expect(await field().getAttribute('aria-activedescendant')).toBe(
      await chosen().getAttribute('id'),
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await find('theme', 'Theme: as the system');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=light]').waitFor();
  });

  test('opens by its button, which has the focus again afterwards', async () => {
    const button = page.getByRole('button', { name: /^Search/ });
    await button.click();
    await field().waitFor();
    await page.keyboard.press('Escape');
    await until(() => button.evaluate((it) => it.matches(':focus')), 'the focus on the button');
    await button.click();
    await field().waitFor();
    await page.keyboard.type('keyboard');
    await page.getByRole('option', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('of a viewer has nothing that the hub refuses', async () => {
    const seen = await openAs('viewer');
    await seen.page.goto('/');
    await seen.page.getByRole('heading', { level: 1 }).waitFor();
    await seen.page.keyboard.press('Control+k');
    await seen.page.getByRole('option', { name: 'http://app.localhost' }).waitFor();
    for (const [typed, found] of [
      ['account', 1],
      ['users', 0],
      ['caddy options', 0],
      ['new site', 0],
    ] as const) {
      await seen.page.getByRole('combobox').fill(typed);
      const options = seen.page.getByRole('option', { name: new RegExp(typed, 'i') });
      await until(async () => (await options.count()) === found, `${found} × ${typed}`);
    }
    expect(seen.browserErrors).toEqual([]);
    await seen.close();
  });
});

test('each page has one width at 1920 pixels, and stands in the middle', async () => {
  await page.setViewportSize({ width: 1920, height: 1000 });
  for (const [path, { isForm }] of PAGES) {
    const id = path.startsWith('/policies') ? policy : site;
    await page.goto(path.replace(':id', String(id)).replace(':name', 'local'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const seen = await page.evaluate(() => {
      const main = document.querySelector('main');
      if (!main) return null;
      const { paddingLeft, paddingRight } = getComputedStyle(main);
      const box = main.getBoundingClientRect();
      const left = box.left + Number.parseFloat(paddingLeft);
      const right = box.right - Number.parseFloat(paddingRight);
      const outside = [...main.querySelectorAll('*')].filter((it) => {
        const { left: from, right: to, width } = it.getBoundingClientRect();
        return width > 1 && (from < left - 1 || to > right + 1) && !it.closest('[class*=scroll]');
      });
      const isMiddle = Math.abs(left - (document.documentElement.clientWidth - right)) <= 2;
      return {
        width: Math.round(right - left),
        isMiddle,
        outside: outside.map((it) => it.className),
      };
    });
    expect({ path, ...seen }).toEqual({
      path,
      width: isForm ? 720 : 1600,
      isMiddle: true,
      outside: [],
    });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('what sticks to the top stays below the bar', async () => {
  let seen = 0;
  for (const path of ['/logs', '/sites/new', '/sites']) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const tops = await page.evaluate(() =>
      [...document.querySelectorAll('main *')].flatMap((it) => {
        const { position, top } = getComputedStyle(it);
        return position === 'sticky' && top !== 'auto' ? Number.parseFloat(top) : [];
      }),
    );
    expect([path, tops.filter((top) => top < 52)]).toEqual([path, []]);
    seen += tops.length;
  }
  expect(seen).toBeGreaterThan(2);
});

test('the typeface is our own, and is loaded', async () => {
  await page.goto('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const faces = () =>
    page.evaluate(() => [...document.fonts].map(({ family, status }) => `${family} ${status}`));
  await until(async () => (await faces()).join() === 'Inter loaded', 'the typeface');
  expect(await page.evaluate(() => getComputedStyle(document.body).fontFamily)).toStartWith(
    'Inter',
  );
});

test('the icon and the title of the tab say that there is a problem, and that it is over', async () => {
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');
  const pretend = async (problems: object[]) => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route('**/api/status', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), problems } });
    });
    await page.reload();
  };
  await pretend([
    { code: 'PROXY_DOWN', level: 'bad', since: '2026-11-20T18:00:00.000Z', message: 'Down.' },
  ]);
  await until(async () => (await page.title()).startsWith('(1) '), 'the number in the title');
  expect(decodeURIComponent((await icon()) ?? '')).toContain('#a8201a');
  await pretend([]);
  await saidByBell(page, 'No problems').waitFor();
  expect(await page.title()).not.toStartWith('(');
  expect(await icon()).toMatch(/\/icon-\w+\.svg$/);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the bar is there before the hub has answered, in the theme that was chosen', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const colour = () =>
    page.locator('.bar').evaluate((bar) => getComputedStyle(bar).backgroundColor);
  const light = await colour();
  await page.route('**/api/auth/get-session', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload({ waitUntil: 'commit' });
  await page.locator('.loading-page .bar').waitFor();
  const waiting = await colour();
  release();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(waiting).toBe(await colour());
  expect(waiting).not.toBe(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

/** What axe finds in `within`, targets that are too small for a finger included. */
async function faultsIn(of: Page, within: string): Promise<string[]> {
  if (!(await of.evaluate('"axe" in globalThis'))) {
    await of.evaluate(await Bun.file(require.resolve('axe-core/axe.min.js')).text());
  }
  return of.evaluate(async (selector) => {
    type Found = { id: string; nodes: { html: string; failureSummary: string }[] };
    const { axe } = globalThis as unknown as {
      axe: { run: (of: string, options: object) => Promise<{ violations: Found[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const rules = { 'target-size': { enabled: true } };
    const { violations } = await axe.run(selector, { runOnly: tags, rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, within);
}

describe.each([1440, 390, 320])('at %d pixels', (width) => {
  test('bar, menu, tabs and palette are accessible in both themes', async () => {
    await page.setViewportSize({ width, height: 844 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto('/account');
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await faultsIn(page, '.bar, .tabs, .skip-link')).toEqual([]);
      await openMenu(page);
      expect(await faultsIn(page, '.bar')).toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'http://app.localhost' }).waitFor();
      expect(await faultsIn(page, 'dialog')).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('the page to sign in is accessible', async () => {
    const { page: stranger, close } = await visit(browser, stack, 'nobody', {
      viewport: { width, height: 844 },
    });
    await stranger.goto('/');
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await faultsIn(stranger, 'body')).toEqual([]);
    await close();
  });
});
