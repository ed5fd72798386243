/** The last hour on the first page, in figures and as a plot, and where they lead. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import type { LogPage, LogStats } from '../../../../src/web/lib/types.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask } from '../../../harness/stack.ts';
import { writeLog } from '../../../harness/traffic.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const api = async <T>(path: string) =>
  (await ask<T>(`${dashboard.stack.hub}${path}`, { headers: dashboard.owner.headers })).body;
const tile = (label: string) => page.locator('.tile', { hasText: label });
const figure = (label: string) => tile(label).locator('a.tile-value');
/** The query of the log that a link leads to. */
const queryOf = async (link: Locator) =>
  new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams;

const dashboard = await forFile(startDashboard());
const { stack, owner, upstream } = dashboard;
const json = { domain: 'http://busy.example', upstream, config: 'reverse_proxy {upstream}' };
const made = await ask(`${stack.hub}/vhosts`, { json, headers: owner.headers });
if (made.status !== 201) throw new Error(made.text);
writeLog(stack, [
  { host: 'busy.example', minutesAgo: 10, requests: 40, status: 200 },
  { host: 'busy.example', minutesAgo: 20, requests: 7, status: 502 },
  { host: 'calm.example', minutesAgo: 30, requests: 5, status: 404 },
  { host: 'busy.example', minutesAgo: 90, requests: 20, status: 200 },
  { host: 'busy.example', minutesAgo: 90, requests: 1, status: 500 },
  { host: 'busy.example', minutesAgo: 300, requests: 99, status: 500 },
]);
const page = await dashboard.open();
await page.goto('/');
await figure('Requests').waitFor();

test('its numbers are those of the API, and lead to the requests they count', async () => {
  expect(await figure('Requests').textContent()).toBe('52');
  expect(await figure('Errors').textContent()).toBe('7');
  expect(await tile('Requests').locator('.tile-before').textContent()).toBe(
    '21 the hour before +148 %',
  );
  expect(await tile('Errors').locator('.tile-before').textContent()).toBe(
    '1 the hour before +600 %',
  );
  const last = await queryOf(figure('Requests'));
  const before = await queryOf(tile('Requests').locator('.tile-before a'));
  expect(before.get('to')).toBe(last.get('from'));
  const stats = await api<LogStats>(`/logs/stats?${last}&buckets=1`);
  expect(stats.requests).toBe(52);
  const p95 = stats.buckets[0]?.p95;
  expect(await figure('p95').textContent()).toBe(`${p95} ms`);
  const errors = await queryOf(figure('Errors'));
  expect((await api<LogPage>(`/logs?${errors}`)).total).toBe(7);
  await figure('Errors').click();
  await page.locator('.log-extent', { hasText: '1–7 of 7' }).waitFor();
  await page.goBack();
  await figure('Errors').waitFor();
});

test('a bar of the plot leads to the requests of its minute', async () => {
  const bar = page.locator('.hour-bars a[title*="7 errors"]');
  const query = await queryOf(bar);
  expect((await api<LogPage>(`/logs?${query}`)).total).toBe(7);
});

test('changes are marked on the plot', async () => {
  // A period ends with a whole second, and the changes were made just now.
  await page.clock.install();
  await page.goto('/');
  await page.clock.runFor(60_000);
  const mark = page.locator('.log-marks a').first();
  await mark.waitFor();
  expect(await mark.getAttribute('title')).toContain('create http://busy.example by Ada');
});
