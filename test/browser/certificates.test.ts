/** The certificates page, and the advice on HTTPS in the form of a site. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { ask, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, codeIn, textOf, tooWide, violations } from '../harness/visit.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

let dashboard: Dashboard;
let page: Page;
beforeAll(async () => {
  dashboard = await startDashboard();
  page = await dashboard.open();
});
afterAll(() => dashboard?.stop());

type Row = { name: string; issuer: string | null };

describe('the certificates page', () => {
  test('says so if no site is served over HTTPS, and offers no root', async () => {
    await page.goto('/certificates');
    await page.getByText('No site is served over HTTPS yet.').waitFor();
    expect(await page.getByRole('link', { name: 'Download its root' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  test('lists names with and without a certificate, sorts and filters them', async () => {
    const { stack, owner } = dashboard;
    for (const [domain, config] of [
      ['own.lan', 'tls internal\nrespond hi'],
      ['nas.lan', 'respond hi'],
    ]) {
      const made = await ask(`${stack.hub}/vhosts`, { ...owner, json: { domain, config } });
      expect(made.status).toBe(201);
    }
    await until(async () => {
      const { body } = await ask<Row[]>(`${stack.hub}/certificates`, owner);
      return body.find(({ name }) => name === 'own.lan')?.issuer;
    }, 'a certificate');
    await page.goto('/certificates');
    const links = page.locator('.certificates td:first-child a');
    await links.nth(1).waitFor();
    expect(await links.allTextContents()).toEqual(['nas.lan', 'own.lan']);
    await page.getByRole('button', { name: 'Name' }).click();
    expect(await links.allTextContents()).toEqual(['own.lan', 'nas.lan']);
    // The status may quote it by now.
    const reason =
      'No public authority signs certificates for nas.lan, a name for private networks.';
    await page.getByText(reason, { exact: true }).waitFor();
    await page.getByText('Problems 1').click();
    expect(await links.allTextContents()).toEqual(['nas.lan']);
    expect(new URL(page.url()).search).toBe('?show=problems&sort=-name');
    expect([await violations(page), await tooWide(page)]).toEqual([[], 0]);
  });

  test('downloads the root of Caddy’s own authority', async () => {
    const starting = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download its root' }).click();
    const download = await starting;
    expect(download.suggestedFilename()).toBe('caddy-root.crt');
    expect(await textOf(download)).toStartWith('-----BEGIN CERTIFICATE-----');
  });
});

describe('the form of a site', () => {
  const fill = async (domain: string) => {
    await page.goto('/sites/new');
    await page.getByLabel('Domain').fill(domain);
    await page.getByLabel('Config').fill('respond hi');
  };
  const config = () => codeIn(page.getByLabel('Config'));

  test('inserts Caddy’s own authority or plain HTTP for a name that gets no certificate', async () => {
    await fill('music.lan');
    await page.getByRole('button', { name: 'Use http://' }).click();
    expect(await page.getByLabel('Domain').inputValue()).toBe('http://music.lan');
    await page.locator('.https-advice').waitFor({ state: 'detached' });
    await fill('music.lan');
    await page.getByRole('button', { name: 'Add “tls internal”' }).click();
    expect(await config()).toBe('tls internal\nrespond hi');
    await page.getByText('Caddy’s own authority signs the certificate of music.lan.').waitFor();
  });

  test('names the command that gets a DNS provider, for a wildcard', async () => {
    await fill('*.home.example.org');
    await page.getByText('Use the DNS challenge').click();
    await page.getByLabel('Command').getByText('caddy-dns').waitFor();
    expect([await violations(page), await tooWide(page)]).toEqual([[], 0]);
    expect(dashboard.browserErrors()).toEqual([]);
  });
});
