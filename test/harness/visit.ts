/** A page of the dashboard, signed in, and what tests of all pages do with it. */
import { text } from 'node:stream/consumers';
import type { Browser, BrowserContextOptions, Download, Locator, Page } from 'playwright-core';
import { SHARE } from './pace.ts';
import { limit } from './speed.ts';

export type Visit = {
  page: Page;
  /** Errors the browser reported, and unexpected dialogs; not failed requests. */
  browserErrors: string[];
  close: () => Promise<void>;
};

/** How long a browser test may take, in milliseconds; for `setDefaultTimeout`. */
export const BROWSER_TIMEOUT_MS = limit(60_000);

const OTHER_NETWORK = 'net::ERR_NETWORK_CHANGED';

/** What a page does less often is its pace, and not for a reader's eyes. */
const LONG_MS = 5_000;

/** Runs in the page: it asks the hub again and again ten times as often. */
function atPaceOfTests([long, share]: readonly [number, number]): void {
  const real = globalThis.setInterval;
  const quick = (run: () => void, milliseconds = 0) =>
    real(run, milliseconds < long ? milliseconds : milliseconds * share);
  globalThis.setInterval = quick as typeof globalThis.setInterval;
}

/**
 * Opens a page.
 * @param token of the session to be signed in with
 * @param quick whether it asks the hub again and again at the pace of tests, and so is never idle
 */
export async function visit(
  browser: Browser,
  stack: { hub: string },
  token: string,
  options: BrowserContextOptions = {},
  quick = false,
): Promise<Visit> {
  const baseURL = new URL(stack.hub).origin;
  const context = await browser.newContext({ baseURL, acceptDownloads: true, ...options });
  await context.addCookies([{ name: 'signalbox_session', value: token, url: baseURL }]);
  const browserErrors: string[] = [];
  if (quick) await context.addInitScript(atPaceOfTests, [LONG_MS, SHARE] as const);
  const page = await context.newPage();
  // Shorter than the test's own: Bun kills the browser with a test that times out.
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 2);
  // Where another test adds an address to this machine, Chromium drops what it is loading.
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== OTHER_NETWORK) return;
    if (request.resourceType() === 'script') void page.reload().catch(() => undefined);
  });
  page.on('console', (message) => {
    const isRefusal =
      /Failed to load resource: (?:the server responded|net::ERR_(?:FAILED|NETWORK_CHANGED|CONNECTION_REFUSED))/.test(
        message.text(),
      );
    if (message.type() === 'error' && !isRefusal) browserErrors.push(message.text());
  });
  page.on('pageerror', (error) => browserErrors.push(String(error)));
  // Hostile text that became HTML would open a dialog.
  page.on('dialog', (dialog) => {
    // A test may leave a page with unsaved changes.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    browserErrors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, browserErrors, close: () => context.close() };
}

/** Opens what the bar has about the user: theme, keys and the way out. */
export const openMenu = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Your menu' }).click();

export async function signOut(page: Page): Promise<void> {
  await openMenu(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** What the bell says to screen readers: how many problems there are, and the worst. */
export const saidByBell = (page: Page, words: string | RegExp): Locator =>
  page.locator('.bell > [role=status]').filter({ hasText: words });

/** The number of problems, of which an old Caddy has some; there once the hub has answered. */
export const problemCount = (page: Page): Locator => saidByBell(page, /^(No|\d+) problem/);

/** The text in an editor of configuration, whether the editor is loaded or still a text area. */
export const codeIn = (editor: Locator): Promise<string> =>
  editor.evaluate((element) =>
    'value' in element
      ? String(element.value)
      : [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  );

/** Shows the fields of a site that a plain new one does not need. */
export const unfold = (page: Page): Promise<void> => page.getByText(/^More: /).click();

/** Shows a tab of the page of a site. */
export const openTab = (page: Page, name: 'Now' | 'Edit' | 'Log' | 'History'): Promise<void> =>
  page
    .getByRole('navigation', { name: 'Site', exact: true })
    .getByRole('link', { name, exact: true })
    .click();

/** Chooses an action of a site in the list. @param domain as it is stored */
export async function actOn(page: Page, domain: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${domain}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** How a site is, as its mark in the list says it. @param state in words, such as `off` */
export const markOf = (page: Page, domain: string, state: string): Locator =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: domain, exact: true }) })
    .getByRole('img', { name: state, exact: true });

/** What was downloaded: the browser may keep its files elsewhere. */
export const textOf = async (download: Download): Promise<string> =>
  text(await download.createReadStream());

/** Answers whether to leave the page without saving. @returns the question, once it is asked */
export async function answerNext(page: Page, yes: boolean): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.waitFor();
  const question = (await dialog.textContent()) ?? '';
  await dialog.getByRole('button', { name: yes ? 'Leave' : 'Stay' }).click();
  return question;
}
