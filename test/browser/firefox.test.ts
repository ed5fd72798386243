// proof: firefox
/** The first evening once more, in Firefox: a site, the log, and an undo. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { PASSWORD } from '../harness/dashboard.ts';
import { type Firefox, firefoxProgram, startFirefox } from '../harness/firefox.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

let stack: Stack;
let firefox: Firefox;
const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('here') });

describe.skipIf(firefoxProgram === null)('in Firefox', () => {
  beforeAll(async () => {
    stack = await startStack();
    firefox = await startFirefox();
  });
  afterAll(async () => {
    await firefox?.stop();
    await stack?.stop();
    await upstream.stop(true);
  });
  const button = (name: string) => firefox.click({ role: 'button', name });
  const link = (name: string) => firefox.click({ role: 'link', name });

  test('the owner signs up and makes the first site', async () => {
    await firefox.open(stack.hub.replace('/api', ''));
    await firefox.type('Name', 'Ada');
    await firefox.type('Email', 'ada@example.org');
    await firefox.type('Password', PASSWORD);
    await button('Create account');
    await link('Create your first site');
    await firefox.type('Domain', 'http://fox.localhost');
    await firefox.type('Forward to', `127.0.0.1:${upstream.port}`);
    await button('Create and publish');
    await firefox.shows('http://fox.localhost is live.');
    expect((await stack.served('fox.localhost')).text).toBe('here');
  });

  test('the log shows a request', async () => {
    await stack.served('fox.localhost', '/from-the-fox');
    await link('Logs');
    await firefox.shows('/from-the-fox');
  });

  test('the changelog undoes the site', async () => {
    await link('Overview');
    await link('Changes');
    await button('Undo');
    await button('Undo this change');
    await firefox.shows('✓ Undone');
    expect(stack.readProxyfile()).not.toContain('fox.localhost');
    expect(firefox.errors()).toEqual([]);
  });
});
