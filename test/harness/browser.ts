/** A real Chromium for the dashboard: `npm test` starts one for all files, a file run alone its own. */
import { type Browser, chromium } from 'playwright-core';
import { words } from './words.ts';

/** For Debian's Chromium, without requests to its vendor. */
export const FLAGS = words(`
  --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
  --disable-component-update --disable-sync
`);

/** Debian has one that never draws a window, which needs a fifth less of the processor. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser'];

/** @returns null if none is installed */
export const findBrowser = (): string | null =>
  PROGRAMS.map((name) => Bun.which(name)).find((path) => path !== null) ?? null;

type BrowserServer = {
  /** For BROWSER_SERVER. */
  url: string;
  stop: () => Promise<void>;
};

/** @returns null if Chromium is not installed */
export async function serveBrowser(): Promise<BrowserServer | null> {
  const executablePath = findBrowser();
  if (executablePath === null) return null;
  const server = await chromium.launchServer({ executablePath, args: FLAGS });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

/** To close it leaves one that is served to the others. @throws Error if Chromium is not installed */
export async function launchBrowser(): Promise<Browser> {
  const served = process.env.BROWSER_SERVER;
  if (served !== undefined) return chromium.connect(served);
  const executablePath = findBrowser();
  if (executablePath === null) {
    throw new Error('The browser tests need Chromium: sudo apt-get install chromium');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}
