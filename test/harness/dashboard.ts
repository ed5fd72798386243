/** The dashboard in a real browser, on a real stack. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Stack, signUp, startStack } from './stack.ts';
import { type Visit, visit } from './visit.ts';

export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

export const PASSWORD = 'a long passphrase';

/** A stack with its owner, an upstream that answers, and a browser. */
export async function startDashboard(makeStack: () => Promise<Stack> = () => startStack()) {
  const stack = await makeStack();
  const owner = await signUp(stack);
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
    /** The errors in the consoles of all pages. */
    browserErrors: () => visits.flatMap((visited) => visited.browserErrors),

    /** A new browser context, signed in as the owner. */
    async open(options: BrowserContextOptions = {}): Promise<Page> {
      const viewport = { width: 1280, height: 800 };
      const seen = await visit(browser, stack, owner.token, { viewport, ...options });
      visits.push(seen);
      return seen.page;
    },

    async stop() {
      await browser.close();
      await upstream.stop(true);
      await stack.stop();
    },
  };
}
