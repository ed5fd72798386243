/** The first page: busy sites, problems, certificates and changes, and where they lead. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import type { LogPage } from '../../src/web/lib/types.ts';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, until } from '../harness/stack.ts';
import { writeLog } from '../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const dashboard = await forFile(startDashboard());
const page = await dashboard.open();

const api = async <T>(path: string) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers })).body;
const region = (name: string) => page.getByRole('region', { name });
/** The query of the log that a link leads to. */
const queryOf = async (link: Locator) =>
  new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams;

describe('an empty hub', () => {
  test('shows no zeros, but the first three steps', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Three steps to your first site' }).waitFor();
    expect(await page.locator('.tile').count()).toBe(0);
    expect(await page.locator('.steps > li').count()).toBe(3);
    await page.getByRole('link', { name: 'Create your first site' }).click();
    await page.getByRole('heading', { name: 'New site' }).waitFor();
    const domain = page.getByLabel('Domain');
    const isFocused = () => domain.evaluate((field) => field === document.activeElement);
    await until(isFocused, 'the field where typing begins');
  });

  test('is not confused with one that does not answer', async () => {
    await page.route('**/api/vhosts', (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto('/');
    await page.getByRole('alert').getByText('The hub answered with status 503.').waitFor();
    expect(await page.locator('.steps, .tile').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('with sites', () => {
  beforeAll(async () => {
    const { stack, owner, upstream } = dashboard;
    const domains = ['http://busy.example', 'http://calm.example', 'http://gone.example'];
    for (const domain of domains) {
      const json = { domain, upstream, config: 'reverse_proxy {upstream}' };
      const made = await ask(`${stack.hub}/vhosts`, { json, headers: owner.headers });
      if (made.status !== 201) throw new Error(made.text);
    }
    writeLog(stack, [
      { host: 'busy.example', minutesAgo: 10, requests: 40, status: 200 },
      { host: 'busy.example', minutesAgo: 20, requests: 7, status: 502 },
      { host: 'calm.example', minutesAgo: 30, requests: 5, status: 404 },
      { host: 'busy.example', minutesAgo: 90, requests: 20, status: 200 },
      { host: 'busy.example', minutesAgo: 90, requests: 1, status: 500 },
      { host: 'busy.example', minutesAgo: 300, requests: 99, status: 500 },
    ]);
    await page.goto('/');
  });

  test('the busiest sites come first, each with its requests', async () => {
    const rows = region('Busiest sites').locator('tbody tr');
    await rows.first().waitFor();
    const texts = await rows.evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim())),
    );
    expect(texts).toEqual([
      ['http://busy.example', '47', '7'],
      ['http://calm.example', '5', '0'],
    ]);
    const requests = rows.first().getByRole('link', { name: '47' });
    expect((await api<LogPage>(`/logs?${await queryOf(requests)}`)).total).toBe(47);
  });

  test('changes are listed, and lead to their entries', async () => {
    const entries = await api<{ id: number; domain: string }[]>('/changelog');
    const [newest] = entries;
    await region('Last changes').getByRole('link', { name: 'Created http://gone.example' }).click();
    await page.locator(`#change-${newest?.id}:focus`).waitFor();
  });

  test('a problem and a certificate that is due are named, and lead to their site', async () => {
    const [{ id } = { id: 0 }] = await api<{ id: number }[]>('/vhosts');
    const whole = await api<Record<string, unknown>>('/status');
    const vhost = { id, domain: 'http://busy.example' };
    const since = new Date().toISOString();
    const problems = [
      { code: 'VHOST_BROKEN', level: 'bad', vhost, since, message: 'no such directive' },
    ];
    const due = { id, domain: 'busy.example', name: 'busy.example', issuer: 'x', daysLeft: 3 };
    const notAfter = '2026-11-24T00:00:00.000Z';
    const certificates = [{ ...due, notAfter, overdue: true }];
    // A stand-in: Caddy no longer accepts a stored config only after it was exchanged, and no
    // authority issues a certificate of three days here.
    const json = { ...whole, problems, certificates };
    await page.route('**/api/status', (route) => route.fulfill({ json }));
    await page.goto('/');
    await region('Certificates due').getByText('3 days, not renewed').waitFor();
    expect(await region('Certificates due').getByRole('link').getAttribute('href')).toBe(
      `/sites/${id}`,
    );
    const problem = region('Problems')
      .getByRole('listitem')
      .filter({ hasText: 'no such directive' });
    await problem.getByRole('link').click();
    await page.getByRole('heading', { name: 'http://busy.example' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
