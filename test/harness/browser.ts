/** A real Chromium, for the dashboard. */
import { type Browser, chromium } from 'playwright-core';

/** Debian's; without a network of its own to look up its maker's hosts. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchBrowser(): Promise<Browser> {
  const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser');
  if (executablePath === null) {
    throw new Error('The browser tests need Chromium: sudo apt-get install chromium');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}
