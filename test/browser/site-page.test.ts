// proof: browser
/** A site's own page, in tabs: how it is now, its form, its requests and its changes. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { LogPage, Vhost } from '../../src/web/lib/types.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { flaws } from '../harness/look.ts';
import { ask, freePort, hasFeature, until } from '../harness/stack.ts';
import { writeLog } from '../harness/traffic.ts';
import { answerNext, BROWSER_TIMEOUT_MS, codeIn, openTab, unfold } from '../harness/visit.ts';
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
const openNow = async () => {
  await page.goto(`/sites/${site.id}`);
  await region('Live state').waitFor();
};
const openForm = async () => {
  await page.goto(`/sites/${site.id}/edit`);
  await unfold(page);
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
    await openNow();
    await page.locator('.request-error').first().waitFor();
    if (hasFeature('statistics')) await page.locator('.log-plot svg').waitFor();
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
    await openNow();
    await region('Live state').getByText(message).waitFor();
    expect(await region('Live state').textContent()).not.toContain('other');
    const fact = (address: string) =>
      region('Live state').getByRole('listitem').filter({ hasText: address });
    expect(await fact('a:1').textContent()).toMatch(/is down since \d{4}-\d\d-\d\d \d\d:\d\d/);
    expect(await fact('b:1').textContent()).toContain('state unknownIt is dynamic.');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says that Caddy is down, or that nothing is known, and shows no state from before', async () => {
    await openNow();
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
      'Caddy does not serve this site.It cannot be started.',
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
    await rows.first().getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.getByText('User agent').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await region('Last errors').getByRole('link', { name: 'All errors' }).click();
    await page.locator('.log-extent', { hasText: '1–2 of 2' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sites/${site.id}/log`);
    await page.goBack();
  });

  test('does not show requests of nobody: a pattern has none of its own', async () => {
    const { id } = await make('http://*.pattern.example', '', 'respond here');
    await page.goto(`/sites/${id}`);
    await region('Live state').getByText('Caddy serves this site.').waitFor();
    expect(await page.locator('.tile, .requests').count()).toBe(0);
    await openTab(page, 'Log');
    await page.getByText('The log is empty.').waitFor();
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
  await openTab(page, 'Log');
  const extent = (text: string) => page.locator('.log-extent', { hasText: text });
  await extent('of 7').waitFor();
  await page.getByRole('gridcell').getByRole('button', { name: 'one.example' }).first().click();
  await extent('of 2').waitFor();
  await page.getByRole('button', { name: 'Remove the filter domain one.example' }).click();
  await extent('of 7').waitFor();
  await page.goto('/logs');
  const offered = page.locator('#log-sites option[value="one.example two.example"]');
  await offered.waitFor({ state: 'attached' });
  expect(await offered.getAttribute('label')).toBe('all names of http://one.example');
});

describe('the tabs', () => {
  const now = () => region('Live state');
  const current = () => page.locator('.tabs a[aria-current=page]').textContent();

  test('have addresses, which Back and the keyboard follow, and keep the name at the head', async () => {
    await openNow();
    const url = page.url();
    await page.getByRole('heading', { level: 1, name: site.domain }).evaluate((heading) => {
      heading.setAttribute('data-seen', 'once');
    });
    for (const [name, path, shown] of [
      ['Edit', 'edit', page.getByLabel('Domain')],
      ['Log', 'log', page.getByRole('grid', { name: 'Requests' })],
      ['History', 'history', page.getByText('Created')],
    ] as const) {
      await page.locator('.tabs a[aria-current=page]').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await shown.waitFor();
      expect(new URL(page.url()).pathname).toBe(`/sites/${site.id}/${path}`);
      expect(await current()).toBe(name);
      await until(async () => (await page.title()).includes(`${name} · ${site.domain}`), 'title');
    }
    for (const step of ['log', 'edit', '']) {
      await page.goBack();
      await until(() => page.url() === url + (step === '' ? '' : `/${step}`), step);
    }
    await now().waitFor();
    // Before it may be the number of problems, which changes at any time.
    const isTitled = /^(?:\(\d+\) )?http:\/\/down\.example · signalbox$/;
    await until(async () => isTitled.test(await page.title()), 'the title');
    expect(await page.locator('h1[data-seen=once]').count()).toBe(1);
  });

  test('ask before unsaved work is lost, and show the form over what is stored', async () => {
    await openForm();
    await config().fill('respond unsaved');
    for (const name of ['Now', 'Log', 'History'] as const) {
      const asked = answerNext(page, false);
      await openTab(page, name);
      expect(await asked).toContain('Your changes will be lost.');
      expect(await codeIn(config())).toBe('respond unsaved');
      expect(await current()).toBe('Edit');
    }
    const asked = answerNext(page, true);
    await openTab(page, 'Now');
    await asked;
    await now().waitFor();
    // Somebody else's change meanwhile is no conflict.
    await change({ tags: ['theirs'] });
    await openTab(page, 'Edit');
    await page.getByLabel('Tags').waitFor();
    expect(await page.getByLabel('Tags').inputValue()).toBe('theirs');
    await change({ tags: [] });
  });

  test('the key E opens the form at its top; a new one begins in its first field', async () => {
    await openNow();
    await page.keyboard.press('e');
    await page.getByLabel('Domain').waitFor();
    expect(await page.locator('main').evaluate((main) => main === document.activeElement)).toBe(
      true,
    );
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goto('/sites/new');
    const domain = page.getByLabel('Domain');
    await until(() => domain.evaluate((it) => it === document.activeElement), 'the focus');
  });

  test('the changes of a site are undone where they are listed', async () => {
    await change({ tags: ['soon gone'] });
    await page.goto(`/sites/${site.id}/history`);
    const head = page.locator('.site-head');
    await head.getByText('soon gone').waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByRole('button', { name: 'Undo this change' }).click();
    await page.getByText('✓ Undone').waitFor();
    await head.getByText('soon gone').waitFor({ state: 'detached' });
    expect((await api<Vhost>(`/vhosts/${site.id}`)).tags).toEqual([]);
    expect(await page.getByText('http://other.example').count()).toBe(0);
  });

  test('are accessible in wide and narrow windows', async () => {
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [path, shown] of [
        ['', now().getByText('Caddy serves this site.')],
        ['/edit', page.getByLabel('Domain')],
        ['/log', page.locator('.log-row').first()],
        ['/history', page.getByRole('button', { name: 'Undo' }).first()],
      ] as const) {
        await page.goto(`/sites/${site.id}${path}`);
        await shown.waitFor();
        expect([width, path, await flaws(page)]).toEqual([width, path, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(
          0,
        );
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

test('the menu at the head turns a site off and on, and deletes it after a question', async () => {
  const { id } = await make('http://menu.example', '', 'respond here');
  const act = async (name: string) => {
    await page.getByRole('button', { name: 'Actions of http://menu.example' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await page.goto(`/sites/${id}`);
  await act('Turn off');
  await region('Live state').getByText('Turned off: Caddy does not serve this site.').waitFor();
  await page.locator('.site-head').getByText('off', { exact: true }).waitFor();
  await act('Turn on');
  await region('Live state').getByText('Caddy serves this site.').waitFor();
  await act('Delete …');
  expect((await api<Vhost>(`/vhosts/${id}`)).enabled).toBe(true);
  await page.getByRole('button', { name: 'Delete site' }).click();
  await page.getByText('http://menu.example is deleted').waitFor();
  expect((await api<Vhost[]>('/vhosts')).some((one) => one.id === id)).toBe(false);
});

describe('the form', () => {
  test('has its preview beside it, in view however far it is scrolled, or folded below it', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openForm();
    await config().fill(`reverse_proxy {upstream}\n${'# line\n'.repeat(60)}`);
    const preview = region('Preview');
    await preview.getByText('Caddy accepts this.').waitFor();
    const bar = page.locator('.save-bar');
    await bar.getByText('Accepted').waitFor();
    for (const part of [0, 0.5, 1]) {
      await page.evaluate((to) => scrollTo(0, to * document.body.scrollHeight), part);
      const box = await preview.getByText('Caddy accepts this.').boundingBox();
      expect(box && box.y >= 0 && box.y + box.height <= 900).toBe(true);
      expect(box?.x).toBeGreaterThan((await config().boundingBox())?.x ?? 1440);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await preview.waitFor({ state: 'hidden' });
    await config().fill('reverse_prox {upstream}');
    await bar.getByText('Would be refused').click();
    await preview.getByText('Caddy would refuse line 1').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('is saved by Ctrl+S, unless nothing has changed, and shows a new name at the head', async () => {
    await openForm();
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
      await openForm();
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
    await openForm();
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
