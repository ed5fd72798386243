/** The dashboard in a real browser, on a real stack. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Stack, signUp, startStack } from './stack.ts';
import { type Visit, visit } from './visit.ts';

export type Dashboard = {
  stack: Stack;
  owner: { token: string; headers: Record<string, string> };
  browser: Browser;
  /** Address of a server that answers `from the upstream`, with the status in `?status=`. */
  upstream: string;
  /** Opens a page in a new browser context, signed in as the owner. @param quick see `visit` */
  open: (options?: BrowserContextOptions, quick?: boolean) => Promise<Page>;
  /** @throws Error if the browser has reported one on any page, or an unexpected dialog */
  stop: () => Promise<void>;
};

export const PASSWORD = 'a long passphrase';

/** @param ownerName of the account that is created first */
export async function startDashboard(
  makeStack: () => Promise<Stack> = () => startStack(),
  ownerName?: string,
): Promise<Dashboard> {
  const stack = await makeStack();
  const owner = await signUp(stack, undefined, ownerName);
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) =>
      new Response('from the upstream', {
        status: Number(new URL(request.url).searchParams.get('status') ?? 200),
      }),
  });
  const browser: Browser = await launchBrowser();
  const visits: Visit[] = [];

  return {
    stack,
    owner,
    browser,
    upstream: `127.0.0.1:${upstream.port}`,

    async open(options = {}, quick = false) {
      const viewport = { width: 1280, height: 800 };
      const seen = await visit(browser, stack, owner.token, { viewport, ...options }, quick);
      visits.push(seen);
      return seen.page;
    },

    async stop() {
      await browser.close();
      await upstream.stop(true);
      await stack.stop();
      const errors = visits.flatMap((visited) => visited.browserErrors);
      if (errors.length > 0) throw new Error(`The browser reported: ${errors.join('\n')}`);
    },
  };
}
