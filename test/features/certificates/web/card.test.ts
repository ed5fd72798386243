// proof: acme
/** Certificates that the hub keeps, in the dashboard: uploaded, replaced, deleted, got by DNS; no secret stays. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Acme, HAS_ACME, startAcme } from '../../../harness/acme.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import { PASSWORD, startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, startStack, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, unfold, visit } from '../../../harness/visit.ts';

/** Of an order. */
const SLOW = { timeout: 2 * BROWSER_TIMEOUT_MS };
setDefaultTimeout(4 * BROWSER_TIMEOUT_MS);

type Kept = { name: string; names: string[]; serial: string };

const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
const kept = async () => (await call<Kept[]>('/certificates/kept')).body;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const card = () => page.getByRole('region', { name: 'Stored certificates' });
const row = (name: string) => card().getByRole('listitem').filter({ hasText: name });
const certificate = () => page.getByLabel('Certificate', { exact: true });
const key = () => page.getByLabel('Private key', { exact: true });
/** All that the page and the browser know: texts, what is typed, what is stored. */
const known = () =>
  page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input, textarea')].map((one) =>
        String(Reflect.get(one, 'value')),
      ),
      JSON.stringify({ ...localStorage, ...sessionStorage }),
      JSON.stringify(history.state),
    ].join('\n'),
  );

const acme = HAS_ACME ? await forFile(startAcme()) : undefined;
const env = acme ? { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots } : {};
const dashboard = await forFile(startDashboard(() => startStack(env)));
const json = { domain: 'app.home.example', config: 'respond app' };
expect((await call('/vhosts', { json })).status).toBe(201);
const page = await dashboard.open();

describe('an upload', () => {
  test('with the key of another certificate is refused at the field of the key', async () => {
    await page.goto('/certificates');
    await card().getByText('one wildcard is enough').waitFor();
    await button('Upload').click();
    const pair = await selfSigned(['*.home.example']);
    await page.getByLabel('Name').fill('home');
    await certificate().fill(pair.certificate);
    await key().fill((await selfSigned(['*.home.example'])).key);
    await card().getByRole('form').getByRole('button', { name: 'Upload', exact: true }).click();
    await page.locator('.field-error', { hasText: 'does not belong' }).waitFor();
    expect(await key().getAttribute('aria-invalid')).toBe('true');
    expect(await certificate().getAttribute('aria-invalid')).toBeNull();
    expect(await kept()).toEqual([]);
  });

  test('is listed with its sites, and nothing of its key stays in the browser', async () => {
    const pair = await selfSigned(['*.home.example', 'home.example'], 60 * 86_400);
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'application/x-pem-file',
      buffer: Buffer.from(text),
    });
    await page
      .getByLabel('Choose certificate')
      .setInputFiles(file('fullchain.pem', pair.certificate));
    await page.getByLabel('Choose private key').setInputFiles(file('key.pem', pair.key));
    const secret = pair.key.split('\n')[1] as string;
    await until(async () => (await certificate().inputValue()) === pair.certificate, 'the chain');
    await until(async () => (await known()).includes(secret), 'the key');
    await card().getByRole('form').getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('The certificate home is live.').waitFor();
    expect(await button('Upload').evaluate((it) => it === document.activeElement)).toBe(true);
    await row('home').getByText('*.home.example, home.example').waitFor();
    await row('home').getByText('valid for 59 days').waitFor();
    await row('home').getByText('1 site: app.home.example').waitFor();
    expect(await known()).not.toContain(secret);
  });

  test('is refused with a name that is taken, at the name', async () => {
    await button('Upload').click();
    const pair = await selfSigned(['b.example']);
    await page.getByLabel('Name').fill('home');
    await certificate().fill(pair.certificate);
    await key().fill(pair.key);
    await card().getByRole('form').getByRole('button', { name: 'Upload', exact: true }).click();
    await page.locator('.field-error', { hasText: 'already' }).waitFor();
    expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await button('Cancel').click();
    expect(await known()).not.toContain(pair.key.split('\n')[1] as string);
  });

  test('replaces one', async () => {
    const [before] = await kept();
    await button('Replace home').click();
    const pair = await selfSigned(['*.home.example'], 5 * 86_400);
    await certificate().fill(pair.certificate);
    await key().fill(pair.key);
    await button('Replace').click();
    await page.getByText('The certificate home is replaced.').waitFor();
    await row('home').locator('.tag-warn', { hasText: 'valid for 4 days' }).waitFor();
    const [after] = await kept();
    expect([after?.name, after?.serial === before?.serial]).toEqual(['home', false]);
    expect(await known()).not.toContain(pair.key.split('\n')[1] as string);
  });
});

/** A page of somebody else. */
async function openAs(role: string) {
  const json = { email: `${role}@example.org`, password: PASSWORD };
  await call('/users', { json: { ...json, name: role, role } });
  const { hub } = dashboard.stack;
  const { body } = await ask<{ token: string }>(`${hub}/auth/sign-in/email`, { json });
  return visit(dashboard.browser, dashboard.stack, body.token);
}

/** Of a site for which Caddy itself gets none. */
async function needCertificate(of: Page) {
  await of.goto('/sites/new');
  await of.getByLabel('Domain').fill('*.home.example.org');
  await unfold(of);
  await of.getByLabel('Config').fill('respond hi');
}

test('a viewer sees them, and no button', async () => {
  const seen = await openAs('viewer');
  await seen.page.goto('/certificates?dns=*.home.example');
  const region = seen.page.getByRole('region', { name: 'Stored certificates' });
  await region.getByText('1 site: app.home.example').waitFor();
  expect(await region.getByRole('button').count()).toBe(0);
  expect(await region.getByRole('form').count()).toBe(0);
  expect(seen.browserErrors).toEqual([]);
  await seen.close();
});

test('an editor reads in the site form that an owner can get one', async () => {
  const seen = await openAs('editor');
  await needCertificate(seen.page);
  await seen.page.getByText('An owner can have the hub get and renew it').waitFor();
  expect(await seen.page.getByRole('link', { name: 'Get one by DNS' }).count()).toBe(0);
  await seen.close();
});

test('deleting one that is in use names the sites that lose it, and asks', async () => {
  await button('Delete home').click();
  await dialog().getByText('1 site loses it: app.home.example.').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect(await kept()).toHaveLength(1);
  await button('Delete home').click();
  await dialog().getByRole('button', { name: 'Delete certificate' }).click();
  await page.getByText('The certificate home is deleted.').waitFor();
  expect(await kept()).toEqual([]);
  await card().getByText('one wildcard is enough').waitFor();
});

test('without lego, the form of DNS says how to get it', async () => {
  const reason = 'A stand-in has no lego: sudo apt-get install lego';
  await page.route('**/api/certificates/providers', (route) =>
    route.fulfill({ json: { available: false, reason, providers: [] } }),
  );
  await button('Get by DNS').click();
  await card().getByText(reason).waitFor();
  expect(await card().getByRole('form').count()).toBe(0);
  await page.unroute('**/api/certificates/providers');
  await button('Get by DNS').click();
});

describe.skipIf(!HAS_ACME)('one by DNS', () => {
  const form = () => card().getByRole('form');
  const send = (name: string) => form().getByRole('button', { name, exact: true }).click();
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const spec = () => acme?.dns.spec as Acme['dns']['spec'];
  const secret = () => spec().credentials.RFC2136_TSIG_SECRET as string;
  const fill = async (values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values)) await field(name).fill(value);
  };
  const serial = async () => (await kept())[0]?.serial;

  test('is offered where a site needs it, with the names filled in, and no longer once there is one', async () => {
    await needCertificate(page);
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Get one by DNS' }).click();
    const other = await opened;
    await other.getByLabel('Host names').waitFor();
    expect(await other.getByLabel('Host names').inputValue()).toBe(
      '*.home.example.org\nhome.example.org',
    );
    expect(await other.getByLabel('Name', { exact: true }).inputValue()).toBe('home');
    await other.close();
    const pair = await selfSigned(['*.home.example.org']);
    const json = { name: 'org', chain: pair.certificate, key: pair.key };
    expect((await call('/certificates/kept', { json })).status).toBe(201);
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.locator('.https-advice').waitFor({ state: 'detached' });
    await call('/certificates/kept/org', { method: 'DELETE' });
  });

  test('is refused at the field that is wrong, also at one of the provider', async () => {
    await page.goto('/certificates?dns=*.home.example+home.example');
    await field('Email').fill('ada@home.example');
    expect(await field('DNS provider').evaluate((it) => it.matches(':invalid'))).toBe(true);

    const options = await field('DNS provider').locator('option').allTextContents();
    expect(options.slice(0, 2)).toEqual(['Choose one', 'Cloudflare']);
    expect(options.length).toBeGreaterThan(50);
    await field('DNS provider').selectOption('cloudflare');
    await form().getByText('Cloudflare takes').getByRole('link').waitFor();
    expect(await field('CF_DNS_API_TOKEN').getAttribute('type')).toBe('password');
    await field('CF_DNS_API_TOKEN').fill('x'.repeat(16_385));
    await send('Try');
    await page.locator('.field-error', { hasText: '16,384 characters' }).waitFor();
    expect(await field('CF_DNS_API_TOKEN').getAttribute('aria-invalid')).toBe('true');
  });

  test('is tried, and shows what the provider said', async () => {
    await field('DNS provider').selectOption('rfc2136');
    await page.getByText('More', { exact: true }).click();
    await fill({
      ...spec().credentials,
      RFC2136_TSIG_SECRET: btoa('another secret of nobody'),
      'DNS servers to ask': spec().resolvers.join(' '),
      'Seconds to wait': '1',
    });
    await send('Try');
    await form().getByRole('alert').getByText('bad authentication').waitFor(SLOW);
    await field('RFC2136_TSIG_SECRET').fill(secret());
    await send('Try');
    await form().getByText('The provider set the record').waitFor(SLOW);
    expect(await form().getByRole('alert').count()).toBe(0);
    expect(await kept()).toEqual([]);
  });

  test('is ordered, renewed and changed, and its credentials are nowhere in the browser', async () => {
    await send('Order certificate');
    await form().getByText('up to five minutes').waitFor();
    await page.getByText('The certificate home is live.').waitFor(SLOW);
    expect(page.url()).not.toContain('dns=');
    await row('home').getByText('by DNS, rfc2136').waitFor();
    await page.getByRole('table').getByText('stored as home').waitFor(SLOW);
    expect(await known()).not.toContain(secret());
    const first = await serial();
    await button('Renew home').click();
    await page.getByText('The certificate home is renewed.').waitFor(SLOW);
    expect(await serial()).not.toBe(first);

    await button('Change home').click();
    await field('Host names').fill('*.home.example');
    await send('Try');
    await form().getByText('The provider set the record').waitFor(SLOW);
    await send('Order again');
    await page.getByText('The certificate home is replaced.').waitFor(SLOW);
    expect((await kept())[0]?.names).toEqual(['*.home.example']);
    expect(await known()).not.toContain(secret());
  });

  test('that cannot be renewed says why', async () => {
    await acme?.dns.stop();
    await button('Renew home').click();
    await row('home').getByRole('alert').waitFor(SLOW);
    await page.reload();
    await row('home').getByText('Not renewed').waitFor();
  });
});
