// proof: browser
/** Policies in the dashboard: made, put on sites, changed, and made from the log. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { clientCertificate } from '../../src/hub/recipes/policies/client-certificate.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, openTab, unfold } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const SITES = 9;

let clicks = 0;

type Labels = { domain: string; policies: string[]; tags: string[] };
const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
const sites = async () => (await call<Labels[]>('/vhosts')).body;
const policies = async () =>
  (await call<{ name: string; vhosts: number[] }[]>('/policies')).body.map(
    ({ name, vhosts }) => `${name} ${vhosts.length}`,
  );
const groups = async () =>
  (await call<{ summary: string; count: number }[]>('/changelog?grouped=true')).body;
/** What an undo has to bring back; when something changed last is no part of it. */
const state = async () =>
  Promise.all(
    ['/vhosts', '/policies'].map(async (path) =>
      (await call<{ updatedAt: string }[]>(path)).body.map(({ updatedAt: _, ...rest }) => rest),
    ),
  );
const status = async (host: string) => (await dashboard.stack.served(host)).status;
const button = (name: string | RegExp) => page.getByRole('button', { name });
const box = (name: string) => page.getByRole('checkbox', { name });
const dialog = () => page.getByRole('dialog');
const click = async (target: { click: () => Promise<void> }) => {
  clicks++;
  await target.click();
};

const dashboard = await forFile(startDashboard());
const operations = Array.from({ length: SITES }, (_, at) => ({
  op: 'create',
  domain: `http://s${at + 1}.localhost`,
  config: 'reverse_proxy {upstream}',
  upstream: dashboard.upstream,
  tags: at < 2 ? ['media'] : [],
}));
expect((await call('/vhosts/bulk', { json: { operations } })).status).toBe(200);
await dashboard.stack.served('s1.localhost');
const page = await dashboard.open();

describe('the selected sites', () => {
  test('stay as they are if the values are refused, which is said at the field', async () => {
    await page.goto('/sites');
    await box('Select all these sites').check();
    await button('Policies …').click();
    await button('Authelia').click();
    await page.getByLabel('Address').fill('not an address');
    await button(`Put on ${SITES} sites`).click();
    await page.locator('.field-error').waitFor();
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    expect(await policies()).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('do not leave a new policy behind if Caddy refuses them', async () => {
    await page.route('**/api/vhosts/bulk', (route) =>
      route.fulfill({
        status: 502,
        json: { code: 'PROXY_REJECTED', message: 'A stand-in refuses.' },
      }),
    );
    await page.reload();
    await box('Select http://s1.localhost').check();
    await button('Policies …').click();
    await button('Only some networks').click();
    await button('Put on 1 site').click();
    await dialog().getByText('A stand-in refuses.').waitFor();
    expect(await policies()).toEqual([]);
    await page.unroute('**/api/vhosts/bulk');
    await page.reload();
  });

  test('are behind a sign-in service in four clicks, and back with one', async () => {
    await box('Select all these sites').waitFor();
    clicks = 0;
    await click(box('Select all these sites'));
    await click(button('Policies …'));
    await click(button('Authelia'));
    await page.getByLabel('Address').fill('localhost:1');
    await click(button(`Put on ${SITES} sites`));
    await page.getByText(`Policy sign-in put on ${SITES} sites`).waitFor();
    expect(clicks).toBe(4);
    expect(await policies()).toEqual([`sign-in ${SITES}`]);
    // Nothing listens there: nobody gets in.
    await until(async () => (await status('s9.localhost')) === 502, 'the guard');
    const made = (await groups()).length;
    await button('Undo').click();
    await page.getByText('and undone').waitFor();
    expect((await groups()).length).toBe(made + 1);
    expect(await policies()).toEqual([]);
    await until(async () => (await status('s9.localhost')) === 200, 'the site');
  });

  test('are behind a password in four clicks', async () => {
    clicks = 0;
    await click(box('Select http://s1.localhost'));
    await click(button('Policies …'));
    await click(button('Password'));
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ada');
    await page.getByLabel('Password').fill('four clicks');
    await click(button('Put on 1 site'));
    await page.getByText('Policy password put on 1 site').waitFor();
    expect(clicks).toBe(4);
    await until(async () => (await status('s1.localhost')) === 401, 'the guard');
    expect(await status('s2.localhost')).toBe(200);
  });

  test('get a policy only as it was shown, and an undo takes it off again', async () => {
    const [password] = (await call<{ id: number }[]>('/policies')).body;
    const apply = async (everywhere: boolean) => {
      const json = { everywhere };
      expect((await call(`/policies/${password?.id}`, { method: 'PUT', json })).status).toBe(200);
    };
    await box('Select http://s2.localhost').check();
    await button('Policies …').click();
    await dialog().getByRole('checkbox', { name: 'password' }).check();
    await apply(true);
    await button('Save and publish').click();
    await dialog().getByText('The policy password has changed since you read it').waitFor();
    await apply(false);
    await button('Save and publish').click();
    await dialog().getByText('The policy password has changed since you read it').waitFor();
    expect(await policies()).toEqual(['password 1']);
    await button('Save and publish').click();
    await page.getByText('Policies of 1 site changed').waitFor();
    expect(await policies()).toEqual(['password 2']);
    await button('Undo').click();
    await page.getByText('and undone').waitFor();
    expect(await policies()).toEqual(['password 1']);
  });

  test('get tags, by which the list is filtered and grouped', async () => {
    await page.goto('/sites?policy=password');
    await page.getByText(`1 of ${SITES} sites`).waitFor();
    await box('Select all these sites').check();
    await button('Tags …').click();
    await dialog().getByRole('checkbox', { name: 'media' }).uncheck();
    await page.getByLabel('New tags').fill('work, home');
    await button('Save').click();
    await page.getByText('Tags of 1 site changed').waitFor();
    expect((await sites()).find(({ domain }) => domain.includes('//s1.'))?.tags).toEqual([
      'work',
      'home',
    ]);
    await button(/^Policy password/).click();
    await page.getByLabel('Tags').selectOption('media');
    await page.getByText(`1 of ${SITES} sites`).waitFor();
    expect(page.url()).toContain('tag=media');
    await page.getByLabel('Tags').selectOption('Grouped by tag');
    await page.getByText('Without a tag').waitFor();
    expect(await page.locator('.site-group').allTextContents()).toEqual([
      'home 1 site',
      'media 1 site',
      'work 1 site',
      `Without a tag ${SITES - 2} sites`,
    ]);
  });
});

describe('the page of policies', () => {
  test('says so if its code cannot be loaded, and loads it the next time', async () => {
    await page.goto('/sites');
    await page.route(/\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Policies', exact: true }).click();
    await page.getByText('Reload the page.').waitFor();
    await page.unroute(/\.js$/);
    await page.reload();
    await page.getByRole('link', { name: 'password', exact: true }).waitFor();
  });

  test('says what became of a new one whose answer was lost', async () => {
    await page.goto('/policies/new?recipe=robots');
    await page.getByRole('textbox', { name: 'Policy name' }).fill('lost');
    await page.route('**/api/vhosts/bulk', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button('Create and publish').click();
    await page.getByText('The policy lost is saved.').waitFor();
    await page.unroute('**/api/vhosts/bulk');
    const lost = (await call<{ id: number; name: string }[]>('/policies')).body.find(
      ({ name }) => name === 'lost',
    );
    await call(`/policies/${lost?.id}`, { method: 'DELETE' });
  });

  test('takes a certificate of several lines as it is pasted', async () => {
    const { authority } = clientCertificate.example;
    await page.goto('/policies/new?recipe=client-certificate');
    await page.getByLabel('Authority').fill('-----BEGIN PRIVATE KEY-----\nx');
    await button('Create and publish').click();
    await page.getByText('without the private key').waitFor();
    await page.getByLabel('Authority').fill(String(authority));
    await button('Create and publish').click();
    await page.getByText('The policy client-certificate is saved.').waitFor();
    const made = (
      await call<{ id: number; name: string; values: object }[]>('/policies')
    ).body.find(({ name }) => name === 'client-certificate');
    expect(made?.values).toEqual({ authority });
    await call(`/policies/${made?.id}`, { method: 'DELETE' });
  });

  test('makes one of a recipe, and changes it with a preview of the whole diff', async () => {
    await page.goto('/policies/new');
    await page.getByRole('link', { name: 'Only some networks' }).click();
    await page.getByLabel('Networks').fill('192.0.2.1/33');
    await box('http://s2.localhost').check();
    await button('Create and publish').click();
    await page.getByText(/^192\.0\.2\.1\/33: /).waitFor();
    await page.getByLabel('Networks').fill('192.0.2.1/32');
    await button('Create and publish').click();
    await page.getByText('The policy lan-only is live on 1 site.').waitFor();
    await until(async () => (await status('s2.localhost')) === 403, 'the guard');

    await page.getByRole('link', { name: 'lan-only' }).click();
    await page.getByLabel('Networks').fill('private_ranges');
    await page.locator('.diff-add').filter({ hasText: 'private_ranges' }).waitFor();
    await page.getByRole('textbox', { name: 'Policy name' }).fill('home-only');
    await box('http://s3.localhost').check();
    const made = (await groups()).length;
    await button('Save and publish').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.title()).toEndWith('home-only · signalbox');
    expect((await groups()).length).toBe(made + 1);
    expect(await policies()).toEqual(['home-only 2', 'password 1']);
    await page.getByRole('textbox', { name: 'Policy name' }).fill('lan-only');
    await box('http://s3.localhost').uncheck();
    await button('Save and publish').click();
    await until(async () => (await policies())[0] === 'lan-only 1', 'the name');
  });

  test('does not overwrite what someone else has changed meanwhile', async () => {
    const [mine] = (await call<{ id: number; name: string }[]>('/policies')).body;
    await page.getByLabel('Networks').fill('10.0.0.0/8');
    const json = { values: { networks: ['192.0.2.7'] } };
    expect((await call(`/policies/${mine?.id}`, { method: 'PUT', json })).status).toBe(200);
    await button('Save and publish').click();
    await page.getByText('Someone else changed this policy').waitFor();
    await button('Discard my changes').click();
    expect(await page.getByLabel('Networks').inputValue()).toBe('192.0.2.7');
  });

  test('deletes none that sites have, and says how', async () => {
    await button('Delete …').click();
    await dialog().getByText('It is on 1 site.').waitFor();
    expect(await button('Delete policy').count()).toBe(0);
    await page.keyboard.press('Escape');
    await box('http://s2.localhost').uncheck();
    await button('Save and publish').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await button('Delete …').click();
    await button('Delete policy').click();
    await page.getByText('The policy lan-only is deleted.').waitFor();
    expect(await policies()).toEqual(['password 1']);
  });

  test('lets one apply to every site, except where it is left out', async () => {
    await page.goto('/policies/new?recipe=robots');
    await page.getByRole('textbox', { name: 'Policy name' }).fill('wide');
    await box('Apply to every site').check();
    expect(await box('http://s4.localhost').isChecked()).toBe(true);
    await box('http://s4.localhost').uncheck();
    await button('Create and publish').click();
    await page.getByText('The policy wide is live').waitFor();
    await page.getByText('every site, also new ones').waitFor();
    const robot = async (host: string) => {
      const headers = { Host: host, 'User-Agent': 'GPTBot' };
      return (await ask(`http://127.0.0.1:${dashboard.stack.httpPort}/`, { headers })).status;
    };
    await until(async () => (await robot('s3.localhost')) === 403, 'the guard');
    expect(await robot('s4.localhost')).toBe(200);

    await page.goto('/sites?policy=wide');
    await page.getByText(`${SITES - 1} of ${SITES} sites`).waitFor();
    await page.getByRole('link', { name: 'http://s3.localhost' }).first().click();
    await openTab(page, 'Edit');
    await unfold(page);
    await box('Leave wide out here').check();
    await button('Save and publish').click();
    await until(async () => (await robot('s3.localhost')) === 200, 'the exception');

    await page.goto('/policies');
    await page.getByRole('link', { name: 'wide', exact: true }).click();
    await button('Delete …').click();
    await dialog().getByText('turn off that it applies to every site').waitFor();
    await page.keyboard.press('Escape');
    await box('Apply to every site').uncheck();
    const search = page.getByLabel('Search these sites');
    const listed = page.getByRole('group', { name: 'Sites' }).getByRole('listitem');
    const media = (await sites()).filter(({ tags }) => tags.includes('media'));
    expect(media).not.toBeEmpty();
    await search.fill('MEDIA');
    await until(async () => (await listed.count()) === media.length, 'the sites with the tag');
    expect(await listed.locator('span').allTextContents()).toEqual(
      media.map(({ domain }) => domain),
    );
    await search.fill('');
    await box('All shown').check();
    await box('All shown').uncheck();
    await button('Save and publish').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await robot('s5.localhost')).toBe(200);
    await button('Delete …').click();
    await button('Delete policy').click();
    await page.getByText('The policy wide is deleted.').waitFor();
  });

  test('is described by the changelog', async () => {
    await page.goto('/changelog?domain=(policy lan-only)');
    await page.getByText('the policy lan-only: networks').first().waitFor();
    await page.getByText('What changed').first().click();
  });
});

describe('an address in the log', () => {
  test('is blocked on the site, which one click undoes, but only once', async () => {
    await dashboard.stack.served('s5.localhost');
    const open = async () => {
      await page.goto('/logs?domain=s5.localhost');
      await button('Details').first().click();
      await button('Block this address …').click();
      await dialog().getByText('all sites').waitFor();
    };
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto('/logs?domain=s5.localhost');
    await button('Details').first().click();
    await dialog().getByText('Headers').first().waitFor();
    // However long the dialog is.
    const bottom = button('Block this address …').evaluate(
      (it) => it.getBoundingClientRect().bottom <= innerHeight,
    );
    expect(await bottom).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    const block = dialog().getByRole('button', { name: /^Block / });
    await open();
    await dialog().getByText('This is your own address').waitFor();
    await dialog().getByText('creates the policy blocked-s5-localhost').waitFor();
    await block.click();
    await until(async () => (await status('s5.localhost')) === 403, 'the block');
    await button('Undo').click();
    await dialog().getByText('is no longer blocked').waitFor();
    await until(async () => (await status('s5.localhost')) === 200, 'the undo');
    await open();
    await block.click();
    await dialog().getByRole('link', { name: 'blocked-s5-localhost' }).waitFor();
    await until(async () => (await status('s5.localhost')) === 403, 'the block');
    expect((await groups())[0]?.summary).toMatch(/^Blocked [\d.:a-f]+ on 1 site$/);
    expect(await status('s6.localhost')).toBe(200);
    await open();
    await dialog().getByText('is already blocked there').waitFor();
    expect(
      await dialog()
        .getByRole('button', { name: /^Block / })
        .count(),
    ).toBe(0);
  });

  test('is blocked on several sites in one change, which is refused if somebody was faster, and is undone as one', async () => {
    const all = (await call<{ id: number; domain: string }[]>('/vhosts')).body;
    const left = all.filter(({ domain }) => /s[678]/.test(domain)).map(({ id }) => id);
    const operations = [
      { op: 'policy', name: 'blocked', recipe: 'block', values: { networks: ['203.0.113.7'] } },
      ...left.map((id) => ({ op: 'update', id, except: ['blocked'] })),
    ];
    expect((await call('/vhosts/bulk', { json: { operations } })).status).toBe(200);
    await page.goto('/logs?domain=s5.localhost');
    await button('Details').first().click();
    await button('Block this address …').click();
    await dialog().getByLabel('all sites').check();
    await dialog()
      .getByText('to the policy blocked, and applies that policy to every site')
      .waitFor();

    const { body: known } = await call<{ id: number; name: string }[]>('/policies');
    const path = `/policies/${known.find(({ name }) => name === 'blocked')?.id}`;
    const networks = async () =>
      (await call<{ values: { networks: string[] } }>(path)).body.values.networks;
    const json = { values: { networks: ['203.0.113.7', '203.0.113.8'] } };
    expect((await call(path, { method: 'PUT', json })).status).toBe(200);
    const block = dialog().getByRole('button', { name: /^Block / });
    await block.click();
    await dialog().getByText('The policy blocked has changed since you read it').waitFor();
    expect(await networks()).toEqual(json.values.networks);

    // What has been sent arrives after someone else's change of one of the sites.
    const first = `/vhosts/${left[0]}`;
    const theirs = { except: ['blocked', 'blocked-s5-localhost'] };
    await page.route('**/api/vhosts/bulk', async (route) => {
      expect((await call(first, { method: 'PUT', json: theirs })).status).toBe(200);
      await route.continue();
    });
    await block.click();
    await dialog()
      .getByText('The site http://s6.localhost has changed since you read it')
      .waitFor();
    await page.unroute('**/api/vhosts/bulk');
    expect(await networks()).toEqual(json.values.networks);
    expect((await call(first)).body).toMatchObject(theirs);

    const [before, made] = [await state(), (await groups()).length];
    await block.click();
    await dialog().getByRole('link', { name: 'blocked', exact: true }).waitFor();
    await until(async () => (await status('s6.localhost')) === 403, 'the block');
    expect((await call(first)).body).toMatchObject({ except: ['blocked-s5-localhost'] });
    expect((await groups()).length).toBe(made + 1);
    const [group] = await groups();
    expect(group?.count).toBe(1 + left.length);
    expect(group?.summary).toMatch(new RegExp(`^Blocked [\\d.:a-f]+ on ${SITES} sites$`));
    await page.goto('/changelog');
    await page
      .getByRole('listitem')
      .filter({ hasText: group?.summary ?? '' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await dialog().getByRole('button', { name: 'Undo 4 changes' }).click();
    await page.locator('.change-undone').waitFor();
    expect((await groups()).length).toBe(made + 2);
    expect(await state()).toEqual(before);
  });
});
