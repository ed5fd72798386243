/** A page of the dashboard for somebody signed in, and what every page must fulfil. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { seriousFaults, sidewaysScroll } from './look.ts';

export type Visit = {
  page: Page;
  /** What the browser complained of, dialogs included; refused requests are not among it. */
  complaints: string[];
  close: () => Promise<void>;
};

/** Milliseconds a test with a browser may take; `setDefaultTimeout` of its file. */
export const PATIENCE_MS = 30_000;

/** @param token of the session whose cookie the browser carries */
export async function visit(
  browser: Browser,
  stack: { hub: string },
  token: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const baseURL = new URL(stack.hub).origin;
  const context = await browser.newContext({ baseURL, acceptDownloads: true, ...options });
  await context.addCookies([{ name: 'signalbox_session', value: token, url: baseURL }]);
  const complaints: string[] = [];
  const page = await context.newPage();
  // Below a test's own: Bun ends the browser together with a test that takes too long.
  page.setDefaultTimeout(PATIENCE_MS / 2);
  page.on('console', (message) => {
    const refused = /Failed to load resource: the server responded/.test(message.text());
    if (message.type() === 'error' && !refused) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // A hostile text that became HTML would open one.
  page.on('dialog', (dialog) => {
    // A test that goes elsewhere leaves what it typed.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    // Our own questions are answered by the test that expects them.
    if (dialog.type() === 'confirm') return;
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints, close: () => context.close() };
}

/** What axe finds wrong, serious or worse, in light and in dark. */
export async function barriers(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await seriousFaults(page)).map((fault) => `${colorScheme} ${fault}`));
  }
  return found;
}

/** CSS pixels that a page is wider than a window of 320; the window is put back. */
export async function tooWide(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  const more = await sidewaysScroll(page);
  if (before) await page.setViewportSize(before);
  return more;
}
