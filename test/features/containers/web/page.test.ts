// proof: podman
/** The containers beside Caddy in the form of a site: real ones, which Podman runs. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../../../harness/dashboard.ts';
import { ask, startStack, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';
import { HAS_PODMAN, type RealEngine, startEngine } from '../engine.ts';

setDefaultTimeout(2 * BROWSER_TIMEOUT_MS);

describe.skipIf(!HAS_PODMAN)('a container', () => {
  let engine: RealEngine;
  let dashboard: Dashboard;
  let page: Page;

  type Seen = { name: string; state: string; site: { id: number } | null };
  const call = <T>(path: string, json?: unknown) =>
    ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers, json });
  const listed = (isWanted: (all: Seen[]) => boolean) =>
    until(async () => isWanted((await call<Seen[]>('/containers')).body), 'the containers');
  const choose = () => page.getByRole('button', { name: 'Choose a container …' });
  const item = (name: string) => page.getByRole('dialog').locator('li', { hasText: name });
  const upstream = () => page.getByLabel('Forward to');

  beforeAll(async () => {
    engine = await startEngine();
    dashboard = await startDashboard(() => startStack({ DOCKER_SOCKET: engine.socket }));
    page = await dashboard.open();
  });
  afterAll(async () => {
    await dashboard?.stop();
    await engine?.end();
  });

  test('is not offered where there is none', async () => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/containers'));
    await page.goto('/sites/new');
    expect(await (await answered).json()).toEqual([]);
    await upstream().waitFor();
    expect(await choose().count()).toBe(0);
  });

  test('that Caddy does not reach cannot be chosen, and says why', async () => {
    await engine.up({ name: 'inner' });
    await engine.up({ name: 'stopped', ports: { '80/tcp': '18081' } });
    await engine.stop('stopped');
    await listed((all) => all.some(({ name, state }) => name === 'stopped' && state === 'exited'));
    await page.reload();
    await choose().click();
    expect(await item('inner').locator('.recipe-reason').textContent()).toContain('publish a port');
    expect(await item('stopped').textContent()).toContain('It does not run.');
    expect(await item('inner').textContent()).toContain('It has no label signalbox.domain.');
    expect(await page.getByRole('dialog').getByRole('button').allTextContents()).toEqual([
      'Cancel',
    ]);
    await page.keyboard.press('Escape');
    expect(await upstream().inputValue()).toBe('');
  });

  test('is what the site forwards to, by the address at which Caddy reaches it', async () => {
    const ports = { '80/tcp': '18080', '81/tcp': '18082' };
    await engine.up({
      name: 'photos',
      ports,
      labels: { 'signalbox.domain': 'http://p.example', 'signalbox.port': '80' },
    });
    await listed((all) => all.some(({ name, site }) => name === 'photos' && site !== null));
    await page.goto('/sites/new');
    await page.getByLabel('Domain').fill('http://photos.localhost');
    await choose().click();
    expect(await page.getByRole('dialog').locator('li strong').first().textContent()).toBe(
      'photos',
    );
    await item('photos').getByRole('button', { name: '127.0.0.1:18082' }).waitFor();
    await item('photos').getByRole('link', { name: 'its site' }).waitFor();
    await item('photos').getByRole('button', { name: '127.0.0.1:18080' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await upstream().inputValue()).toBe('127.0.0.1:18080');
    expect(await page.getByLabel('Domain').inputValue()).toBe('http://photos.localhost');
  });

  test('is said to keep the site that its labels made, and to have made the change', async () => {
    await choose().click();
    const path = await item('photos').getByRole('link', { name: 'its site' }).getAttribute('href');
    await page.goto(`${path}/edit`);
    await page.getByText('Managed by the containers on local: their next start').waitFor();
    await page.goto('/changelog');
    await page.getByText('signalbox, by the containers on local').waitFor();
  });
});
