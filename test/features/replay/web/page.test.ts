// proof: browser
/** “Ask the last week”: each preview offers it, and shows what real test Caddys answer. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { REPLAY_MS } from '../../../../src/features/replay/wire.ts';
import { CADDYS, versionOf } from '../../../harness/caddys.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { sendRaw } from '../../../harness/raw.ts';
import { ask, startStack, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

// Visitors come first, so on a busy machine a replay may take all the time that it has.
setDefaultTimeout(BROWSER_TIMEOUT_MS + REPLAY_MS);

/** Only newer ones can be told a visitor's address. */
const BIN = CADDYS.at(-1)?.bin ?? 'caddy';
const KNOWS_ADDRESSES = Bun.semver.satisfies(versionOf(BIN), '>=2.7.0');
const SHUT_OUT = 'This changes who gets in: ask who it would shut out.';
const STRANGE = '/<img/src=x/onerror=alert(1)>';

const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
async function made(path: string, json: object): Promise<number> {
  const { status, body } = await call<{ id: number }>(path, { json });
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(Number) })]);
  return body.id;
}
const visitFrom = (localAddress: string, path: string, host = 'photos.localhost') =>
  sendRaw(
    `http://127.0.0.1:${dashboard.stack.httpPort}`,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    { localAddress },
  );
const button = (name: string | RegExp) => page.getByRole('button', { name });
const askButton = () => button('Ask the last week');
const dialog = () => page.getByRole('dialog');
const result = () => page.locator('[aria-label="The last week"] [role=status]');
/** Asks, and waits for what it says. */
const answer = async (): Promise<string> => {
  await askButton().last().click();
  const shown = result().last();
  await shown.locator('p').waitFor({ timeout: REPLAY_MS });
  return (await shown.locator('p').first().textContent()) ?? '';
};

const dashboard = await forFile(startDashboard(() => startStack({ PROXY_BIN: BIN })));
const policy = await made('/policies', {
  name: 'home',
  recipe: 'allow',
  values: { networks: ['private_ranges'] },
});
const site = await made('/vhosts', {
  domain: 'http://photos.localhost',
  config: 'reverse_proxy {upstream}',
  upstream: dashboard.upstream,
  policies: ['home'],
});
/** A site that lets everybody in, which every Caddy can be asked about. */
const plain = await made('/vhosts', {
  domain: 'http://plain.localhost',
  config: 'reverse_proxy {upstream}',
  upstream: dashboard.upstream,
});
await until(async () => (await visitFrom('127.0.0.1', '/')).status === 200, 'the site');
for (const path of ['/api/push?token=hidden', '/album/1', STRANGE]) {
  await visitFrom('127.0.0.1', path);
  await visitFrom('127.0.0.3', path);
  await visitFrom('127.0.0.2', path);
  await visitFrom('127.0.0.2', path, 'plain.localhost');
}
await until(async () => {
  const { body } = await call<{ total: number }>('/logs');
  return body.total >= 13;
}, 'the log');
const page = await dashboard.open();

describe('a policy', () => {
  test('says whom its new networks would shut out, red and with examples', async () => {
    await page.goto(`/policies/${policy}`);
    await page.getByLabel('Networks').fill('127.0.0.2/32');
    await page.getByText(SHUT_OUT).waitFor();
    const headline = await answer();
    if (!KNOWS_ADDRESSES) {
      expect(headline).toBe('No requests of the last 7 days to compare.');
      expect(await result().locator('.lamp').count()).toBe(0);
      await result().getByText('left out').waitFor();
      return;
    }
    expect(headline).toMatch(
      /^\d+ requests of the last 7 days: 3 answer the same, [67] would not\.$/,
    );
    expect(await result().locator('.lamp-bad').count()).toBe(2);
    const group = result().locator('li').first();
    expect(await group.textContent()).toContain('photos.localhost');
    expect(await group.textContent()).toMatch(/ 2 visitors\) get 403 instead of 200/);
    await group.locator('summary').click();
    await group.getByText(`127.0.0.3 GET ${STRANGE}`).first().waitFor();
    expect(await group.textContent()).not.toContain('hidden');
    expect(await page.getByText(SHUT_OUT).count()).toBe(0);
  });

  test('shows nothing of it once the form is another one', async () => {
    await page.getByLabel('Networks').fill('127.0.0.0/8');
    await page.getByText(SHUT_OUT).waitFor();
    expect(await result().textContent()).toBe('');
    if (KNOWS_ADDRESSES) {
      expect(await answer()).toMatch(/^\d+ requests of the last 7 days: all answer the same\.$/);
      expect(await result().locator('.lamp-bad').count()).toBe(0);
    }
  });

  test('asks about the sites that it is taken off, and a new one about those that get it', async () => {
    await page.goto(`/policies/${policy}`);
    await page.getByRole('checkbox', { name: 'http://photos.localhost' }).uncheck();
    await page.getByText(SHUT_OUT).waitFor();
    const sent = page.waitForRequest((one) => one.url().endsWith('/api/replays'));
    await answer();
    expect((await sent).postDataJSON().operations).toContainEqual({
      op: 'update',
      id: site,
      policies: [],
    });
    await page.goto('/policies/new?recipe=maintenance');
    expect(await askButton().count()).toBe(0);
    await page.getByRole('checkbox', { name: 'http://plain.localhost' }).check();
    await answer();
    await result().getByText('get 503 instead of 200').waitFor();
  });
});

describe('a replay that runs', () => {
  /** Holds back what the hub says of it. @returns what lets it through */
  const held = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = Promise.withResolvers<string>();
    await page.route('**/api/replays/*', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      id.resolve(route.request().url().split('/').at(-1) ?? '');
      await promise;
      await route.continue().catch(() => undefined);
    });
    return { id: id.promise, release: resolve };
  };
  const isGone = async (id: string) => (await call(`/replays/${id}`)).status === 404;
  const begin = async () => {
    await page.goto(`/sites/${plain}/edit`);
    await page.getByLabel('Forward to').fill('127.0.0.1:9');
    const { id, release } = await held();
    await askButton().click();
    return { id: await id, release };
  };
  const after = async (release: () => void) => {
    release();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  };

  test('shows how far it is, is ended by its button, which keeps the focus, and can run again', async () => {
    const { id, release } = await begin();
    await page.getByRole('progressbar').waitFor();
    expect(await isGone(id)).toBe(false);
    expect(await button('Cancel').evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await askButton().waitFor();
    await until(() => isGone(id), 'its end');
    expect(await askButton().evaluate((one) => one === document.activeElement)).toBe(true);
    await after(release);
    expect(await answer()).toContain('would');
  });

  test('ends when the form changes', async () => {
    const { id, release } = await begin();
    await page.getByLabel('Forward to').fill('127.0.0.1:10');
    await until(() => isGone(id), 'its end');
    await after(release);
  });

  test('ends when somebody leaves, for another page or another place', async () => {
    const first = await begin();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await until(() => isGone(first.id), 'its end');
    await after(first.release);
    const second = await begin();
    await page.goto('about:blank');
    await until(() => isGone(second.id), 'its end');
    await after(second.release);
  });

  test('says so if another one runs, or it has failed', async () => {
    const refused = {
      code: 'RATE_LIMITED',
      message: 'Another replay is running. Try again later.',
    };
    await page.goto(`/sites/${plain}/edit`);
    await page.getByLabel('Forward to').fill('127.0.0.1:9');
    await page.route('**/api/replays', (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '20' }, json: refused }),
    );
    await askButton().click();
    await page.getByText('Another replay is running. Try again in 20 seconds.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // A real one, of which the page knows nothing, would keep the next test's from beginning.
    await page.route('**/api/replays', (route) =>
      route.fulfill({ status: 202, json: { id: 'stand-in' } }),
    );
    const failed = { done: 0, of: 0, same: 0, differ: 0, groups: [], leftOut: [] };
    await page.route('**/api/replays/*', (route) =>
      route.fulfill({ json: { ...failed, state: 'failed', detail: 'A stand-in has failed.' } }),
    );
    await askButton().click();
    await page.getByText('A stand-in has failed.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('is offered before', () => {
  test('a change of a site, which suggests it if that is about who gets in', async () => {
    await page.goto(`/sites/${plain}/edit`);
    await page.getByLabel('Forward to').fill('127.0.0.1:9');
    await askButton().waitFor();
    expect(await page.getByText(SHUT_OUT).count()).toBe(0);
    expect(await answer()).toContain('would');
    await page.goto(`/sites/${site}/edit`);
    await page.getByText(/^More: /).click();
    await page.getByRole('checkbox', { name: 'home' }).uncheck();
    await page.getByText(SHUT_OUT).waitFor();
  });

  test('a site is deleted, alone or with others', async () => {
    await page.goto(`/sites/${plain}/edit`);
    await button('Delete …').click();
    expect(await answer()).toMatch(/none would answer the same\.$/);
    await dialog().getByText('are answered by Caddy instead of').waitFor();
    await page.goto('/sites');
    await page.getByRole('checkbox', { name: 'Select http://plain.localhost' }).check();
    await button('Turn off 1 …').click();
    await answer();
    await dialog().getByText('are answered by Caddy instead of').waitFor();
  });

  test('a change is undone', async () => {
    await page.goto('/changelog?domain=(policy home)');
    await call(`/policies/${policy}`, {
      method: 'PUT',
      json: { values: { networks: ['127.0.0.0/8'] } },
    });
    await page.reload();
    await button('Undo').first().click();
    await dialog().getByText(SHUT_OUT).waitFor();
    await answer();
    await page.goto('/changelog?domain=http://plain.localhost');
    await button('Undo').click();
    expect(await dialog().getByText(SHUT_OUT).count()).toBe(0);
    await answer();
  });

  test('the preamble is changed', async () => {
    await page.goto('/preamble');
    const { body } = await call<{ config: string }>('/preamble');
    await call('/preamble', { method: 'PUT', json: { config: `${body.config}\n` } });
    const editor = page.getByRole('textbox', { name: 'Caddyfile text' });
    await editor.fill(`${body.config}\n(lan) {\n\tabort\n}\n`);
    await button('Preview').click();
    await page.getByText(SHUT_OUT).waitFor();
    expect(await answer()).toContain('all answer the same');
  });

  test('a Caddyfile is imported, and what was asked goes with other choices', async () => {
    await page.goto('/import?from=caddyfile');
    const config = `http://plain.localhost {\n\trespond 404\n}\nhttp://new.localhost {\n\trespond hi\n}\n`;
    await page.getByRole('textbox', { name: 'Caddyfile' }).fill(config);
    await button('Review import').click();
    await answer();
    await page.getByText('Replace', { exact: true }).click();
    expect(await result().textContent()).toBe('');
    await answer();
    await result().getByText('get 404 instead of 200').waitFor();
  });
});
