// proof: browser
/** The form of a site, as somebody uses it who knows no Caddyfile, its editor for those who do, and the certificates page. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Route } from 'playwright-core';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, openTab, textOf, unfold } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const page = await dashboard.open();

const api = async <T>(path: string, init: RequestInit = {}) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { ...init, headers: dashboard.owner.headers }))
    .body;
const served = (name: string) => dashboard.stack.served(name);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const config = () => codeIn(page.getByLabel('Config'));

test('makes right what was pasted, says so, and keeps the hub’s refusal of what it cannot', async () => {
  const [domain, upstream] = [page.getByLabel('Domain'), page.getByLabel('Forward to')];
  const said = (words: string) => page.getByRole('status').getByText(words);
  await page.goto('/sites/new');
  await domain.waitFor();
  expect(await page.locator('form').getByRole('textbox').count()).toBe(2);
  expect(await page.locator('form').getByRole('button').allTextContents()).toEqual([
    'Add a name',
    'Create and publish',
  ]);
  await domain.fill('http://App.localhost/web/');
  await upstream.fill('ftp://nas.lan/');
  await said('Stored as http://app.localhost; the path /web/ was dropped.').waitFor();
  await button('Create and publish').click();
  await page.locator('.field-error').getByText('The upstream must be host:port').waitFor();
  expect(await upstream.inputValue()).toBe('ftp://nas.lan/');

  await upstream.fill('https://10.0.0.5/');
  await upstream.press('Tab');
  await said('Stored as https://10.0.0.5:443; the path / was dropped').waitFor();
  await button('Accept any certificate …').click();
  expect(await dialog().getByRole('textbox').first().inputValue()).toBe('10.0.0.5:443');
  await dialog()
    .getByLabel('Added to the config')
    .getByText('reverse_proxy {upstream} {')
    .waitFor();
  await page.keyboard.press('Escape');
  await upstream.press('Control+Z');
  expect(await upstream.inputValue()).toBe('https://10.0.0.5/');
  await upstream.press('Tab');
  await said('the path / was dropped').waitFor({ state: 'detached' });
  expect(await upstream.inputValue()).toBe('https://10.0.0.5/');
});

test('has the names of a site as chips, of which the keyboard adds and removes some', async () => {
  const more = page.getByLabel('Further names');
  expect(await more.count()).toBe(0);
  await unfold(page);
  await button('Add a name').click();
  await until(() => more.evaluate((it) => it === document.activeElement), 'the focus');
  await page.keyboard.type('http://a.localhost,http://b.localhost/x');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('the path /x was dropped').waitFor();
  await page.keyboard.type('c.localhost ');
  await button('Remove c.localhost').waitFor();
  await page.keyboard.press('Backspace');
  await button('Remove c.localhost').waitFor({ state: 'detached' });
  await button('Remove http://a.localhost').press('Enter');
  expect(await more.evaluate((it) => it === document.activeElement)).toBe(true);
  expect(await page.locator('.name-chips button').allTextContents()).toEqual([
    'http://b.localhost ×',
  ]);
  expect(await config()).toBe('reverse_proxy {upstream}');
});

test('makes a site from names and an address, with tags', async () => {
  await page.getByLabel('Tags').fill('media,  home,');
  await page.getByLabel('Forward to').fill(`http://${dashboard.upstream}/`);
  await page.getByLabel('Forward to').press('Enter');
  await page
    .getByText('http://app.localhost is live. Stored as http://app.localhost; the path /web/')
    .waitFor();
  await page.getByText(`Stored as ${dashboard.upstream}; the path / was dropped.`).waitFor();
  for (const name of ['app', 'b']) {
    expect((await served(`${name}.localhost`)).text).toBe('from the upstream');
  }
  const [site] = await api<{ tags: string[]; addresses: string[] }[]>('/vhosts');
  expect(site?.tags).toEqual(['media', 'home']);
  expect(site?.addresses).toEqual(['http://app.localhost', 'http://b.localhost']);
  await openTab(page, 'Edit');
  await page.getByLabel('Config').waitFor({ state: 'attached' });
  expect(await config()).toBe('reverse_proxy {upstream}');
});

test('puts a site behind a password in four clicks, but keeps a refused one in its dialog', async () => {
  // The form says what is folded: what the site has is in sight.
  await page.getByText('More: policies, config, check', { exact: true }).waitFor();
  expect(await page.getByLabel('Tags').isVisible()).toBe(true);
  await unfold(page);
  await button('Password …').click();
  const name = dialog().getByLabel('Name', { exact: true });
  await until(() => name.evaluate((it) => it === document.activeElement), 'the focus on the name');
  await page.keyboard.type('ada');
  await page.keyboard.press('Tab');
  await page.keyboard.insertText('x'.repeat(80));
  await button('Use this policy').click();
  await dialog().locator('.field-error').waitFor();
  expect(await api('/policies')).toEqual([]);
  await dialog().getByLabel('Password', { exact: true }).fill('a good passphrase');
  await button('Use this policy').click();
  await dialog().waitFor({ state: 'detached' });
  expect(await page.getByLabel('password', { exact: true }).isChecked()).toBe(true);
  expect((await served('app.localhost')).status).toBe(200);
  await button('Save and publish').click();
  await page.getByText('Saved and live.').waitFor();
  expect((await served('app.localhost')).status).toBe(401);
  expect(await config()).toBe('reverse_proxy {upstream}');
  expect(JSON.stringify(await api('/policies'))).not.toContain('passphrase');
});

test('keeps what was typed while a policy is made, and the order of several', async () => {
  await page.getByLabel('Tags').fill('media');
  await button('Other policy …').click();
  await dialog().getByRole('button', { name: 'Maintenance' }).click();
  await button('Use this policy').click();
  await dialog().waitFor({ state: 'detached' });
  expect(await page.getByLabel('Tags').inputValue()).toBe('media');
  await button('Apply maintenance later').click();
  await button('Save and publish').click();
  await page.getByText('Saved and live.').waitFor();
  const [site] = await api<{ policies: string[]; tags: string[] }[]>('/vhosts');
  expect([site?.policies, site?.tags]).toEqual([['password', 'maintenance'], ['media']]);
  expect((await served('app.localhost')).status).toBe(401);
  await button('Apply password later').click();
  await button('Save and publish').click();
  await until(async () => (await served('app.localhost')).status === 503, 'maintenance first');
  await page.getByLabel('maintenance', { exact: true }).uncheck();
  await button('Apply password earlier').waitFor({ state: 'detached' });
});

test('leads from the preview to the policy at fault', async () => {
  // A stand-in: whatever a form accepts, Caddy accepts as well.
  const policy = { name: 'password', field: 'users' };
  const verdict = { valid: false, detail: 'why', hint: null, line: null, policy, diff: '' };
  await page.route('**/api/preview', (route) => route.fulfill({ json: verdict }));
  await page.getByLabel('Tags').fill('another');
  const link = page.getByRole('region', { name: 'Preview' }).getByRole('link');
  await link.waitFor();
  expect(await link.textContent()).toBe('password');
  expect(await link.getAttribute('href')).toMatch(/^\/policies\/\d+$/);
  await page.unroute('**/api/preview');
  await page.getByLabel('Tags').fill('media');
});

test('adds what people want, and shows it first', async () => {
  const add = async (what: string) => {
    await button(what).click();
    await dialog().getByLabel('Added to the config').waitFor();
  };
  await add('Compression');
  expect(await dialog().getByLabel('Added to the config').textContent()).toBe('encode zstd gzip');
  await button('Insert').click();
  await dialog().waitFor({ state: 'detached' });
  expect(await config()).toBe('encode zstd gzip\nreverse_proxy {upstream}');
  await add('Self-signed upstream');
  expect(await dialog().getByLabel('Removed from the config').textContent()).toBe(
    'reverse_proxy {upstream}',
  );
  await button('Insert').click();
  await dialog().waitFor({ state: 'detached' });
  expect(await config()).toContain(`reverse_proxy https://${dashboard.upstream} {`);
  expect(await config()).not.toContain('{upstream}');
  await page.getByText('Caddy accepts this.').waitFor();
});

describe('a check', () => {
  const refused = () => page.getByRole('group', { name: 'Check' }).getByRole('alert');
  type Checked = { id: number; domain: string; check: object | null };
  const stored = async () =>
    (await api<Checked[]>('/vhosts')).find(({ domain }) => domain.includes('checked'));

  test('keeps a site that answers otherwise from becoming live, and says what came', async () => {
    await page.goto('/sites/new');
    await page.getByLabel('Domain').fill('http://checked.localhost');
    await page.getByLabel('Forward to').fill(dashboard.upstream);
    await unfold(page);
    expect(await page.getByLabel('Path', { exact: true }).count()).toBe(0);
    await page.getByLabel('Refuse changes that break this site').check();
    await page.getByLabel('Path', { exact: true }).fill('/?status=500');
    await page.getByLabel('Within').fill('0.2');
    await button('Create and publish').click();
    await refused().getByText('answered 500 instead of').waitFor();
    expect(await refused().getByText('does not answer as its check requires').count()).toBe(1);
    expect(await stored()).toBeUndefined();
    expect((await served('checked.localhost')).text).not.toBe('from the upstream');
  });

  test('is tried before anybody sees the site, and filled in with what comes', async () => {
    const result = page.getByRole('group', { name: 'Check' }).getByRole('status');
    await button('Try it').click();
    await result.getByText('Failed: GET / answered 500 instead of').waitFor();
    await button('Use current response').click();
    await result.getByText('GET / answers 500 now.').waitFor();
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('500');
    await button('Try it').click();
    await result.getByText('Passed: GET / answered 500').waitFor();
    await page.getByLabel('Must contain').fill('something else');
    await result.getByText('publish nothing').waitFor();
    await page.getByLabel('Served').uncheck();
    await button('Try it').click();
    await result.getByText('A site that is not served cannot be tried.').waitFor();
    await page.getByLabel('Served').check();
    await result.getByText('publish nothing').waitFor();
    expect((await served('checked.localhost')).text).not.toBe('from the upstream');
  });

  test('is neither tried nor stored with a path that is none', async () => {
    const path = page.getByRole('textbox', { name: 'Path' });
    const right = await path.inputValue();
    await path.fill('health');
    for (const name of ['Try it', 'Create and publish']) {
      await button(name).focus();
      await button(name).press('Enter');
      await until(() => path.evaluate((input) => input === document.activeElement), name);
    }
    expect(await path.evaluate((input: HTMLInputElement) => input.validationMessage)).not.toBe('');
    await path.fill(right);
  });

  test('is stored as it was typed, and lets a site that answers so become live', async () => {
    await page.getByLabel('Must contain').fill('upstream');
    await button('Create and publish').click();
    await page.getByText('http://checked.localhost is live').waitFor();
    const check = { path: '/?status=500', status: 500, contains: 'upstream', within: 0.2 };
    expect((await stored())?.check).toEqual(check);
  });

  test('is copied with its site, and removed with its tick', async () => {
    const { id } = (await stored()) ?? {};
    await page.goto(`/sites/new?from=${id}`);
    expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('/?status=500');
    await page.goto(`/sites/${id}/edit`);
    const tick = page.getByLabel('Refuse changes that break this site');
    await tick.uncheck();
    await tick.check();
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('500');
    await tick.uncheck();
    await button('Save and publish').click();
    await page.getByText('Saved and live.').waitFor();
    expect((await stored())?.check).toBeNull();
  });

  test('takes over what the site answers now, and is asked as often as it says', async () => {
    await page.getByLabel('Refuse changes that break this site').check();
    await page.getByLabel('Path', { exact: true }).fill('/');
    await page.getByLabel('Within (s)').fill('');
    await button('Use current response').click();
    await page.getByText('GET / answers 200 now.').waitFor();
    await page.getByLabel('Every (s)').fill('600');
    await button('Save and publish').click();
    await page.getByText('Saved and live.').waitFor();
    expect((await stored())?.check).toMatchObject({ path: '/', status: 200, every: 600 });
    await page.getByLabel('Refuse changes that break this site').uncheck();
    await button('Save and publish').click();
    await until(async () => (await stored())?.check === null, 'no check');
  });
});

test('has dialogs that return the focus to their button', async () => {
  await unfold(page);
  for (const name of ['Upload limit', 'Other policy …', 'Password …', 'Delete …']) {
    await button(name).press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    const isBack = () => button(name).evaluate((it) => it === document.activeElement);
    await until(isBack, `the focus on ${name}`);
  }
});

describe('HTTPS for a name that gets no certificate', () => {
  const fill = async (domain: string) => {
    await page.goto('/sites/new');
    await page.getByLabel('Domain').fill(domain);
    await unfold(page);
    await page.getByLabel('Config').fill('respond hi');
  };
  test('inserts Caddy’s own authority or plain HTTP for a name that gets no certificate', async () => {
    await fill('music.lan');
    await page.getByRole('button', { name: 'Use http://' }).click();
    expect(await page.getByLabel('Domain').inputValue()).toBe('http://music.lan');
    await page.locator('.https-advice').waitFor({ state: 'detached' });
    await page.getByLabel('Domain').fill('music.lan');
    await page.getByRole('button', { name: 'Add “tls internal”' }).click();
    expect(await config()).toBe('tls internal\nrespond hi');
    await page.getByText('Caddy’s own authority signs the certificate of music.lan.').waitFor();
    await page.getByText('Browsers warn until').waitFor();
    await page.getByRole('button', { name: 'I installed it' }).click();
    await page.getByText('Browsers warn until').waitFor({ state: 'detached' });
  });

  test('names the command that gets a DNS provider, for a wildcard', async () => {
    await fill('*.home.example.org');
    await page.getByText('Or let Caddy get it by DNS').click();
    await page.getByLabel('Command').getByText('caddy-dns').waitFor();
  });
});

type Row = { name: string; issuer: string | null };

describe('the certificates page', () => {
  test('says so if no site is served over HTTPS, and offers no root', async () => {
    await page.goto('/certificates');
    await page.getByText('No site is served over HTTPS yet.').waitFor();
    // As somebody said in the form.
    expect(await page.getByRole('heading', { name: 'Caddy’s own authority' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show the guide' }).click();
    expect(await page.getByRole('link', { name: 'Download its root' }).count()).toBe(0);
  });

  test('lists sites with and without a certificate, sorts and filters them', async () => {
    const { stack, owner } = dashboard;
    for (const [domain, config] of [
      ['own.lan', 'own.lan, www.own.lan {\n\ttls internal\n\trespond hi\n}'],
      ['nas.lan', 'respond hi'],
    ]) {
      const made = await ask(`${stack.hub}/vhosts`, { ...owner, json: { domain, config } });
      expect(made.status).toBe(201);
    }
    await until(async () => {
      const { body } = await ask<Row[]>(`${stack.hub}/certificates`, owner);
      const own = body.filter(({ name }) => name.endsWith('own.lan'));
      return own.length === 2 && own.every(({ issuer }) => issuer !== null);
    }, 'two certificates');
    await page.goto('/certificates');
    const links = page.locator('.certificates td:first-child a');
    await links.nth(1).waitFor();
    expect(await links.allTextContents()).toEqual(['nas.lan', 'own.lan']);
    const own = page.getByRole('row', { name: 'own.lan' });
    expect(await own.locator('td').allInnerTexts()).toEqual([
      'own.lan\nwww.own.lan',
      'renews itself',
      'own CA',
    ]);
    const sort = page.getByRole('columnheader', { name: 'Site' }).getByRole('button');
    await sort.click();
    await sort.click();
    expect(await links.allTextContents()).toEqual(['own.lan', 'nas.lan']);
    // The status may quote it by now.
    const reason =
      'No public authority signs certificates for nas.lan, a name for private networks.';
    await page.getByText(reason, { exact: true }).waitFor();
    await page.getByText('Problems 1').click();
    expect(await links.allTextContents()).toEqual(['nas.lan']);
    expect(new URL(page.url()).search).toBe('?show=problems&sort=-name');
  });

  test('downloads the root of Caddy’s own authority', async () => {
    const starting = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download its root' }).click();
    const download = await starting;
    expect(download.suggestedFilename()).toBe('caddy-root.crt');
    expect(await textOf(download)).toStartWith('-----BEGIN CERTIFICATE-----');
    await page.getByRole('button', { name: 'I installed it' }).click();
    await page.reload();
    await page.getByText('You installed the root').waitFor();
    expect(await page.getByRole('link', { name: 'Download its root' }).count()).toBe(0);
  });
});

describe('the editor', () => {
  const editor = (on = page) => on.getByLabel('Config');
  const options = () => page.getByRole('option');

  test('that cannot be loaded leaves a text area, which works, and is loaded the next time', async () => {
    const seen = await dashboard.open();
    let act = (route: Route): Promise<void> => route.abort();
    await seen.route(/\/chunk-\w+\.js$/, async (route) => {
      const text = await (await fetch(route.request().url())).text();
      await (text.includes('cm-content') ? act(route) : route.continue());
    });
    const failed = seen.waitForEvent('requestfailed');
    await seen.goto('/sites/new');
    await failed;
    await unfold(seen);
    await seen.getByLabel('Domain').fill('http://plain.localhost');
    await editor(seen).fill('respond plain');
    expect(await editor(seen).evaluate((element) => element.tagName)).toBe('TEXTAREA');
    await seen.getByRole('button', { name: 'Create and publish' }).click();
    await seen.getByText('http://plain.localhost is live').waitFor();

    // What is selected in the text area stays selected in the editor that takes its place.
    const held = Promise.withResolvers<void>();
    act = async (route) => {
      await held.promise;
      await route.continue();
    };
    await seen.goto('/sites/new');
    await unfold(seen);
    await editor(seen).press('Control+A');
    expect(await editor(seen).evaluate((element) => element.tagName)).toBe('TEXTAREA');
    held.resolve();
    await seen.locator('.cm-content').waitFor();
    await seen.keyboard.insertText('respond over');
    await until(async () => (await codeIn(editor(seen))) === 'respond over');
    await seen.context().close();
  });

  test('offers nothing for an unknown word', async () => {
    await page.goto('/sites/new');
    await unfold(page);
    await page.locator('.cm-content').waitFor();
    await editor().fill('');
    await editor().pressSequentially('rexyz');
    expect(await options().count()).toBe(0);
  });

  test('completes directives, matchers and placeholders by keyboard', async () => {
    const choose = async (typed: string, choice: string) => {
      await editor().pressSequentially(typed);
      const option = options().filter({ hasText: choice }).first();
      await option.and(page.locator('[aria-selected]')).waitFor();
      // Right after it has opened, the list takes no key: it could be meant for the text.
      while (await option.isVisible()) await editor().press('Tab');
    };
    await editor().fill('');
    await editor().pressSequentially('@lan path /lan\n');
    await choose('rev', 'reverse_proxy');
    await choose(' @l', '@lan');
    await choose(' {up', '{upstream}');
    expect(await codeIn(editor())).toBe('@lan path /lan\nreverse_proxy @lan {upstream}');
  });

  test('colours words, in light and dark, and has a name and a description', async () => {
    const colour = () =>
      page
        .locator('.cm-line span', { hasText: /^reverse_proxy$/ })
        .evaluate((span) => getComputedStyle(span).color);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html[data-theme=light]').waitFor();
    const light = await colour();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme=dark]').waitFor();
    expect(await colour()).not.toBe(light);
    expect(await editor().getAttribute('aria-description')).toContain('press Escape, then Tab');
    await page.getByText('Config', { exact: true }).click();
    expect(await editor().evaluate((element) => element.matches(':focus'))).toBe(true);
  });
});
