/** A page of the dashboard for somebody signed in, and what every page must fulfil. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';

export type Visit = {
  page: Page;
  /** What the browser complained of, dialogs included; refusals that a test expects among them. */
  complaints: string[];
  close: () => Promise<void>;
};

/** @param token of the session whose cookie the browser carries */
export async function visit(
  browser: Browser,
  stack: { hub: string },
  token: string,
): Promise<Visit> {
  const baseURL = new URL(stack.hub).origin;
  const context = await browser.newContext({ baseURL, acceptDownloads: true });
  await context.addCookies([{ name: 'signalbox_session', value: token, url: baseURL }]);
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // A hostile text that became HTML would open one.
  page.on('dialog', (dialog) => {
    // A test that goes elsewhere leaves what it typed.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints, close: () => context.close() };
}

type Violation = { id: string; impact: string; nodes: { html: string }[] };
const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

/** What axe finds wrong, serious or worse, in light and in dark. */
export async function barriers(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const violations = await page.evaluate<Violation[]>(
      `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) =>
        ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))`,
    );
    for (const { id, impact, nodes } of violations) {
      if (impact === 'serious' || impact === 'critical') {
        found.push(`${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
      }
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** CSS pixels that a page is wider than a window of 320; the window is put back. */
export async function tooWide(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  const more = await page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - innerWidth)',
  );
  if (before) await page.setViewportSize(before);
  return more;
}
