// proof: browser
/** A site's own page: state, figures, errors and requests, and the form below. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { LogPage, Vhost } from '../../src/web/lib/types.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, freePort, hasFeature, until } from '../harness/stack.ts';
import { writeLog } from '../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS, codeIn, unfold } from '../harness/visit.ts';
import { shiftOf, watchShifts } from './shifts.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

/** Nothing listens there. */
const closed = `127.0.0.1:${freePort()}`;

const dashboard = await forFile(startDashboard());
const { stack } = dashboard;
const api = async <T>(path: string) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers })).body;
const make = async (domain: string, upstream: string, config = 'reverse_proxy {upstream}') => {
  const { headers } = dashboard.owner;
  const json = { domain, upstream, config };
  const made = await ask<Vhost>(`${dashboard.stack.hub}/vhosts`, { json, headers });
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
};

const site = await make('http://down.example', closed);
await make('http://other.example', dashboard.upstream);
writeLog(stack, [
  { host: 'down.example', minutesAgo: 10, requests: 12, status: 200 },
  { host: 'down.example', minutesAgo: 90, requests: 6, status: 200 },
  { host: 'other.example', minutesAgo: 5, requests: 30, status: 500 },
]);
for (const path of ['/a', '/b']) await stack.served('down.example', path);
await until(async () => {
  const { total } = await api<LogPage>('/logs?domain=down.example&status=502');
  return total === 2;
}, 'both errors in the log');
const page = await dashboard.open();
await watchShifts(page);

const region = (name: string) => page.getByRole('region', { name });
const config = () => page.getByLabel('Config');
const open = async (hash = '') => {
  await page.goto(`/sites/${site.id}${hash}`);
  await page.locator('.site-more').waitFor();
  if (hash === '') await unfold(page);
};
const change = async (json: Partial<Vhost>) => {
  const { headers } = dashboard.owner;
  const url = `${dashboard.stack.hub}/vhosts/${site.id}`;
  const answer = await ask(url, { method: 'PUT', json, headers });
  if (answer.status !== 200) throw new Error(answer.text);
};
const boxOf = async (name: string) => {
  const box = await page.getByRole('button', { name }).boundingBox();
  if (!box) throw new Error(`${name} is not shown`);
  return box;
};
/** Whether the button itself is at its centre, and nothing on top of it. */
const isOnTop = (name: string) =>
  page.getByRole('button', { name }).evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === button;
  });

describe('a site’s page', () => {
  test('does not shift while it loads', async () => {
    await open();
    await page.locator('.request-error').first().waitFor();
    if (hasFeature('statistics')) await page.locator('.log-plot-requests canvas').waitFor();
    expect(await shiftOf(page)).toBeLessThan(0.1);
  });

  test('says at its head that the upstream is down, and in which words', async () => {
    const state = region('Live state');
    await state.getByText('Caddy serves this site.').waitFor();
    // The line above it is what its explanation found.
    const upstream = state.getByRole('listitem').filter({ hasText: `Upstream ${closed}` });
    expect(await upstream.textContent()).toContain('is down');
    expect(await upstream.textContent()).toContain('connection refused');
    const text = await state.textContent();
    expect(text?.split('connection refused').length).toBe(2);
    expect(await page.title()).toMatch(/^\(\d+\) http:\/\/down\.example · signalbox$/);
  });

  test('says that somebody knows of its problem, and lets it count again', async () => {
    type Found = { problems: { key: string; vhost?: { id: number } }[] };
    const { problems } = await api<Found>('/status');
    const key = problems.find(({ vhost }) => vhost?.id === site.id)?.key;
    const url = `${dashboard.stack.hub}/problems/${key}/known`;
    const { headers } = dashboard.owner;
    await ask(url, { method: 'PUT', headers, json: { until: null } });
    const known = region('Live state').getByRole('listitem').filter({ hasText: 'Known until' });
    await known.getByText('Known until it is over (Ada)').waitFor();
    expect(await known.textContent()).toStartWith('The upstream of http://down.example is down');
    await known.getByRole('button', { name: 'Count it again' }).click();
    await known.waitFor({ state: 'detached' });
  });

  test('says why Caddy does not serve the site, and since when what is down or why that is not known', async () => {
    type State = { addresses: object[]; upstreams: object[] };
    const whole = await api<State>(`/vhosts/${site.id}/state`);
    const addresses = whole.addresses.map((address) => ({ ...address, served: false }));
    const since = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const unknown = { up: null, since: null, error: null, unknown: 'It is dynamic.' };
    const upstreams = [
      { ...whole.upstreams[0], address: 'a:1', up: false, since },
      { ...whole.upstreams[0], address: 'b:1', ...unknown },
    ];
    const status = await api<object>('/status');
    const { id, domain } = site;
    const message = 'Not served, because Caddy refuses it: no such file.';
    const problems = [
      { vhost: { id: id + 1, domain }, message: 'other' },
      { vhost: { id, domain }, message },
    ].map((problem) => ({ code: 'VHOST_BROKEN', level: 'bad', since, ...problem }));
    // A stand-in: a stored site is refused only after its files have changed, and no three hours pass here.
    const json = { ...whole, addresses, upstreams };
    await page.route('**/state', (route) => route.fulfill({ json }));
    await page.route('**/api/status', (route) => route.fulfill({ json: { ...status, problems } }));
    await open();
    await region('Live state').getByText(message).waitFor();
    expect(await region('Live state').textContent()).not.toContain('other');
    const fact = (address: string) =>
      region('Live state').getByRole('listitem').filter({ hasText: address });
    expect(await fact('a:1').textContent()).toMatch(/is down since \d{4}-\d\d-\d\d \d\d:\d\d/);
    expect(await fact('b:1').textContent()).toContain('state unknownIt is dynamic.');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says that Caddy is down, or that nothing is known, and shows no state from before', async () => {
    await open();
    await region('Live state').getByText('Caddy serves this site.').waitFor();
    const status = await api<object>('/status');
    const since = new Date().toISOString();
    // A stand-in: the Caddy of these tests stays up.
    const pretend = async (code: string, message: string) => {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      const problems = [{ key: 'x', code, level: 'bad', since, message }];
      await page.route('**/api/status', (route) =>
        route.fulfill({ json: { ...status, problems } }),
      );
      const json = { code: 'AGENT_UNREACHABLE', message: 'Nobody answers.' };
      await page.route('**/state', (route) => route.fulfill({ status: 502, json }));
    };
    await pretend('PROXY_DOWN', 'It cannot be started.');
    await region('Live state').getByText('It cannot be started.').waitFor({ timeout: 30_000 });
    expect(await region('Live state').textContent()).toBe(
      'Live stateCaddy does not serve this site.It cannot be started.',
    );
    await pretend('AGENT_UNREACHABLE', 'The agent is gone.');
    await region('Live state').getByText('Not known: Nobody answers.').waitFor();
    expect(await region('Live state').getByRole('listitem').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('shows the last errors in the upstream’s own words, and leads to all of them', async () => {
    const rows = region('Last errors').getByRole('listitem');
    await rows.nth(1).waitFor();
    const texts = await rows.allTextContents();
    expect(texts.length).toBe(2);
    for (const text of texts) expect(text).toContain('connection refused');
    await region('Last errors').getByRole('link', { name: 'All errors' }).click();
    await page.locator('.log-extent', { hasText: '1–2 of 2' }).waitFor();
    expect(new URL(page.url()).searchParams.get('domain')).toBe('down.example');
    await page.goBack();
  });

  test('shows the last requests, newest first, and opens one to all that Caddy wrote', async () => {
    const rows = region('Last requests').getByRole('listitem');
    await rows.nth(7).waitFor();
    expect((await rows.first().textContent()) ?? '').toContain('/b');
    await rows.first().getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.getByText('User agent').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('does not show requests of nobody: a pattern has none of its own', async () => {
    const { id } = await make('http://*.pattern.example', '', 'respond here');
    await page.goto(`/sites/${id}`);
    await page.getByText('only shown in the logs, by name').waitFor();
    expect(await page.locator('.tile, .requests').count()).toBe(0);
    await config().waitFor();
  });
});

test('a site with several names shows the requests to all or to one of them', async () => {
  const { stack } = dashboard;
  const block = 'http://one.example, http://two.example {\n\trespond here\n}';
  const both = await make('http://one.example', '', block);
  writeLog(stack, [
    { host: 'one.example', minutesAgo: 3, requests: 2, status: 200 },
    { host: 'two.example', minutesAgo: 2, requests: 5, status: 200 },
  ]);
  await page.goto(`/sites/${both.id}`);
  const requests = page.locator('.tile', { hasText: 'Requests' }).locator('a.tile-value');
  await requests.and(page.getByText('7', { exact: true })).waitFor();
  expect(await requests.getAttribute('href')).toContain('domain=one.example+two.example');
  await page.getByLabel('Requests to').selectOption('one.example');
  await requests.and(page.getByText('2', { exact: true })).waitFor();
  await page.getByLabel('Requests to').selectOption('two.example');
  await requests.and(page.getByText('5', { exact: true })).waitFor();
  expect(await requests.getAttribute('href')).toContain('domain=two.example');
  await page.locator('.page-head').getByRole('link', { name: 'Logs' }).click();
  await page.locator('.log-extent', { hasText: 'of 7' }).waitFor();
  await page.getByText('one.example or two.example').waitFor();
  const offered = page.locator('#log-sites option[value="one.example two.example"]');
  await offered.waitFor({ state: 'attached' });
  expect(await offered.getAttribute('label')).toBe('all names of http://one.example');
});

describe('the form', () => {
  test('is reached by the key E, by its button and by its address', async () => {
    const focused = () => page.locator('#edit:focus-within').waitFor();
    await open();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await focused();
    await open();
    await page.keyboard.press('e');
    await focused();
    expect(await codeIn(config())).toBe('reverse_proxy {upstream}');
    await page.getByRole('heading', { level: 1 }).click();
    expect(await page.locator('#edit:focus-within').count()).toBe(0);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await focused();
    await open('#edit');
    await focused();
  });

  test('is saved by Ctrl+S, unless nothing has changed, and shows a new name at the head', async () => {
    await open();
    await page.keyboard.press('Control+s');
    expect(await page.getByRole('alert').count()).toBe(0);
    await config().fill('reverse_proxy {upstream}\nheader X-By keys');
    await page.getByLabel('Domain').fill('http://renamed.example');
    await page.keyboard.press('Control+s');
    const why = `Saved and live. Nothing listens at ${closed}: the connection is refused. Start the`;
    await page.getByRole('status').filter({ hasText: why }).waitFor();
    expect((await api<Vhost>(`/vhosts/${site.id}`)).config).toContain('X-By keys');
    await page.getByRole('heading', { name: 'http://renamed.example' }).waitFor();
    await change({ domain: 'http://down.example' });
  });

  test('offers the choice of a conflict where the save bar is, and nothing covers it', async () => {
    for (const [name, kept, viewport] of [
      ['Discard my changes', 'X-By other-375', { width: 375, height: 640 }],
      ['Keep my changes', 'X-By 1280', { width: 1280, height: 600 }],
    ] as const) {
      await page.setViewportSize(viewport);
      await open();
      await config().fill(`reverse_proxy {upstream}\nheader X-By ${viewport.width}`);
      await change({ config: `reverse_proxy {upstream}\nheader X-By other-${viewport.width}` });
      await page.keyboard.press('Control+s');
      await page.getByText('Someone else changed this site while you were editing it').waitFor();
      expect(await page.locator('.conflict').textContent()).toContain('X-By other');
      expect(await codeIn(config())).toContain(`X-By ${viewport.width}`);
      expect((await api<Vhost>(`/vhosts/${site.id}`)).config).toContain('X-By other');
      expect(await page.getByRole('button', { name: 'Save and publish' }).count()).toBe(0);
      for (const choice of ['Discard my changes', 'Keep my changes']) {
        const { y, height } = await boxOf(choice);
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y + height).toBeLessThanOrEqual(viewport.height);
        expect(await isOnTop(choice)).toBe(true);
      }
      await page.getByRole('button', { name }).click();
      await page.getByRole('button', { name: 'Save and publish' }).waitFor();
      expect(await codeIn(config())).toContain(kept);
      const stored = async () => (await api<Vhost>(`/vhosts/${site.id}`)).config;
      await until(async () => (await stored()).includes(kept), 'the chosen change');
    }
  });

  test('scrolls a refusal into view on a phone, above the save bar', async () => {
    await page.setViewportSize({ width: 375, height: 640 });
    await open();
    await config().fill(`${'# line\n'.repeat(40)}reverse_prox {upstream}`);
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press('Control+s');
    const words = page.getByRole('alert').locator('.proxy-words');
    await words.waitFor();
    await until(async () => {
      const [box, bar] = await Promise.all([
        words.boundingBox(),
        page.locator('.save-bar').boundingBox(),
      ]);
      return box && bar && box.y >= 0 && box.y + box.height <= bar.y;
    }, 'the words to be in view');
    await page.getByLabel('Domain').fill('not a domain');
    await config().fill('respond here');
    await page.keyboard.press('Control+s');
    await page.locator('.field-error').waitFor();
    await until(async () => {
      const box = await page.getByLabel('Domain').boundingBox();
      return box && box.y >= 0 && box.y + box.height <= 640;
    }, 'the field at fault to be in view');
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
