/** Certificates that the hub keeps, in the dashboard: uploaded, replaced, deleted; no secret stays. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { selfSigned } from '../harness/certificate.ts';
import { type Dashboard, PASSWORD, startDashboard } from '../harness/dashboard.ts';
import { flaws } from '../harness/look.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, visit } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

type Kept = { name: string; names: string[]; serial: string };

let dashboard: Dashboard;
let page: Page;

const call = <T>(path: string, options: object = {}) =>
  ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, ...options });
const kept = async () => (await call<Kept[]>('/certificates/kept')).body;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const card = () => page.getByRole('region', { name: 'Kept by the hub' });
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

beforeAll(async () => {
  dashboard = await startDashboard();
  const json = { domain: 'app.home.example', config: 'respond app' };
  expect((await call('/vhosts', { json })).status).toBe(201);
  page = await dashboard.open();
});

afterAll(() => dashboard?.stop());

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
    expect(await flaws(page)).toEqual([]);
    expect(await kept()).toEqual([]);
  });

  test('is listed with its sites, and nothing of its key stays in the browser', async () => {
    const pair = await selfSigned(['*.home.example', 'home.example'], 60 * 86_400);
    const file = (name: string, text: string) => ({
      ...{ name, mimeType: 'application/x-pem-file', buffer: Buffer.from(text) },
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
    expect(await flaws(page)).toEqual([]);
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
    expect(await flaws(page)).toEqual([]);
  });
});

test('a viewer sees them, and no button', async () => {
  const json = { name: 'v', email: 'v@example.org', password: PASSWORD, role: 'viewer' };
  await call('/users', { json });
  const { email, password } = json;
  const { body } = await ask<{ token: string }>(`${dashboard.stack.hub}/auth/sign-in/email`, {
    json: { email, password },
  });
  const seen = await visit(dashboard.browser, dashboard.stack, body.token);
  await seen.page.goto('/certificates');
  const region = seen.page.getByRole('region', { name: 'Kept by the hub' });
  await region.getByText('1 site: app.home.example').waitFor();
  expect(await region.getByRole('button').count()).toBe(0);
  expect(seen.browserErrors).toEqual([]);
  await seen.close();
});

describe('deleting one', () => {
  test('that is in use names the sites that lose it, and asks', async () => {
    await button('Delete home').click();
    await dialog().getByText('1 site loses it: app.home.example.').waitFor();
    expect(await flaws(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await kept()).toHaveLength(1);
    await button('Delete home').click();
    await dialog().getByRole('button', { name: 'Delete certificate' }).click();
    await page.getByText('The certificate home is deleted.').waitFor();
    expect(await kept()).toEqual([]);
    await card().getByText('one wildcard is enough').waitFor();
  });
});
