/** The dashboard in a real browser, on a real stack. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Stack, signUp, startStack } from './stack.ts';

export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

export const PASSWORD = 'a long passphrase';

/** Milliseconds a test with a browser may take; `setDefaultTimeout` of its file. */
export const PATIENCE_MS = 30_000;

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
  const complaints: string[] = [];

  return {
    stack,
    owner,
    browser,
    upstream: `127.0.0.1:${upstream.port}`,
    /** What the pages' consoles and scripts had to complain of; refused requests are not among it. */
    complaints,

    /** A browser of its own, signed in. */
    async open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
      const context: BrowserContext = await browser.newContext({
        baseURL: stack.hub.replace(/\/api$/, ''),
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      const answer = await context.request.post('/api/auth/sign-in/email', {
        data: { email: 'ada@example.org', password: PASSWORD },
      });
      if (!answer.ok()) throw new Error(`sign-in: ${answer.status()}`);
      const page = await context.newPage();
      // Below a test's own: Bun ends the browser together with a test that takes too long.
      page.setDefaultTimeout(PATIENCE_MS / 2);
      page.on('console', (message) => {
        const refused = /Failed to load resource: the server responded/.test(message.text());
        if (message.type() === 'error' && !refused) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      return page;
    },

    async stop() {
      await browser.close();
      await upstream.stop(true);
      await stack.stop();
    },
  };
}
