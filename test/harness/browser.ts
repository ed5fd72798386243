/** Starts a real Chromium for the dashboard. */
import { type Browser, chromium } from 'playwright-core';

/** For Debian's Chromium, without requests to its vendor. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @throws Error if Chromium is not installed */
export function launchBrowser(): Promise<Browser> {
  const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser');
  if (executablePath === null) {
    throw new Error('The browser tests need Chromium: sudo apt-get install chromium');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}
