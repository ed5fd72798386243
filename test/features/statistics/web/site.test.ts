// proof: browser
/** The figures of a site on its page, and its plot. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { LogPage, LogStats, Vhost } from '../../../../src/web/lib/types.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, freePort, until } from '../../../harness/stack.ts';
import { writeLog } from '../../../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const api = async <T>(path: string) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers })).body;
const make = async (domain: string, upstream: string) => {
  const { headers } = dashboard.owner;
  const json = { domain, upstream, config: 'reverse_proxy {upstream}' };
  const made = await ask<Vhost>(`${dashboard.stack.hub}/vhosts`, { json, headers });
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
};

const dashboard = await forFile(startDashboard());
const { stack } = dashboard;
// Nothing listens there.
const site = await make('http://down.example', `127.0.0.1:${freePort()}`);
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

test('a site counts only its own requests, as the API does', async () => {
  await page.goto(`/sites/${site.id}`);
  const requests = page.locator('.tile', { hasText: 'Requests' }).locator('a.tile-value');
  await requests.waitFor();
  await until(async () => {
    await page.reload();
    await requests.waitFor();
    return (await requests.textContent()) === '14';
  }, 'the period to include the latest requests');
  const query = new URL((await requests.getAttribute('href')) ?? '', page.url()).searchParams;
  expect(query.get('domain')).toBe('down.example');
  expect((await api<LogStats>(`/logs/stats?${query}`)).requests).toBe(14);
  expect((await api<LogPage>(`/logs?${query}`)).total).toBe(14);
  const errors = page.locator('.tile', { hasText: 'Errors' }).locator('a.tile-value');
  expect(await errors.textContent()).toBe('2');
  await page.locator('.log-plot svg').waitFor();
  await page
    .getByRole('region', { name: 'Requests and latency' })
    .getByText('20')
    .first()
    .waitFor();
});
