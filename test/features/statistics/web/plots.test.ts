// proof: browser
/** The plots on the page of the log, its lists and its table. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LogStats } from '../../../../src/shared/wire/logs.ts';
import { localTime } from '../../../../src/web/lib/format.ts';
import { line } from '../../../agent/logs/lines.ts';
import { startDashboard } from '../../../harness/dashboard.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, until } from '../../../harness/stack.ts';
import { BROWSER_TIMEOUT_MS } from '../../../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const HOUR = 3600;
const START = Date.parse('2026-11-20T10:00:00Z') / 1000;

const query = () => new URL(page.url()).searchParams;

async function open(address: string): Promise<void> {
  await page.goto(address);
  await page.locator('.log-row, .log .empty').first().waitFor();
}

const dashboard = await forFile(startDashboard());
const { stack, owner } = dashboard;
const json = { domain: 'http://app.example', config: 'respond here' };
const made = await ask(`${stack.hub}/vhosts`, { json, headers: owner.headers });
if (made.status !== 201) throw new Error(made.text);
const lines = Array.from({ length: 240 }, (_, at) => {
  const request = { host: at % 2 ? 'app.example' : 'other.example', uri: `/old/${at}` };
  const status = [200, 304, 404, 500][at % 4];
  return line({ ts: START + (at * HOUR) / 10, status, duration: 0.01, request });
});
mkdirSync(dirname(stack.accessLog), { recursive: true });
appendFileSync(stack.accessLog, `${lines.join('\n')}\n`);
await stack.served('app.example', '/new');
const page = await dashboard.open();
await open('/logs');
// The page remembers it for all tests that follow.
await page.getByRole('button', { name: 'Latency and figures' }).click();

describe('the plot', () => {
  test('sets the time range by a drag, and Back undoes that', async () => {
    await open('/logs?domain=app.example');
    const box = await page.locator('.log-plot svg').boundingBox();
    if (!box) throw new Error('no plot');
    const at = (part: number) => [box.x + box.width * part, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.25));
    await page.mouse.down();
    await page.mouse.move(...at(0.5), { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const [from, to] = [query().get('from'), query().get('to')].map((text) =>
      Date.parse(text ?? ''),
    );
    expect(to).toBeGreaterThan(from ?? Number.NaN);
    expect(query().get('domain')).toBe('app.example');
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.waitForURL(/\/logs\?domain=app\.example$/);
    await page.goBack();
    await page.waitForURL(/from=.*to=/);
    await page.goBack();
    await page.waitForURL(/\/logs\?domain=app\.example$/);
  });

  test('is not zoomed by a click, and has the totals where there is no cursor', async () => {
    await open('/logs?domain=app.example');
    const plot = page.locator('.log-plot svg');
    const legend = page.locator('.log-legend');
    const totals = await legend.textContent();
    expect(totals).toContain('Total');
    await plot.click();
    await page.mouse.move(0, 0);
    await legend.getByText('Total').waitFor();
    expect(await legend.textContent()).toBe(totals);
    expect(query().has('from')).toBe(false);
  });

  test('says what a column has, to the pointer and to keys', async () => {
    await open('/logs?domain=app.example');
    const { buckets } = (await (
      await page.request.get('/api/logs/stats?domain=app.example&buckets=120')
    ).json()) as LogStats;
    const whenOf = (column: number) => localTime(buckets.at(column)?.from ?? '');
    const legend = page.locator('.log-legend');
    const slider = page.getByRole('slider', { name: 'Time of the figures' });
    const { width = 0 } = (await page.locator('.log-plot svg').boundingBox()) ?? {};
    await slider.hover({ position: { x: width - 12, y: 40 } });
    await legend.getByText(whenOf(-1)).waitFor();
    await page.mouse.move(0, 0);
    await legend.getByText('Total').waitFor();
    await slider.focus();
    expect(await slider.getAttribute('aria-valuetext')).toBe('Total');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await legend.getByText(whenOf(-2)).waitFor();
    const sum = Object.values(buckets.at(-2)?.requests ?? {}).reduce((all, one) => all + one, 0);
    const words = `${whenOf(-2).slice(0, 16)}, ${sum} request`;
    expect(await slider.getAttribute('aria-valuetext')).toStartWith(words);
    await page.keyboard.press('Home');
    await legend.getByText(whenOf(0)).waitFor();
    await slider.blur();
    await legend.getByText('Total').waitFor();
  });

  test('is zoomed by a finger that moves along it, and keeps what a tap shows', async () => {
    const phone = await dashboard.open({ hasTouch: true, viewport: { width: 390, height: 800 } });
    await phone.goto('/logs?domain=app.example');
    await phone.getByRole('button', { name: 'Latency and figures' }).click();
    const plot = phone.locator('.log-plot svg');
    await plot.tap({ position: { x: 200, y: 60 } });
    const time = phone.locator('.log-legend-time', { hasText: /^2026-11-/ });
    await time.waitFor();
    expect(new URL(phone.url()).searchParams.has('from')).toBe(false);
    const { x = 0, y = 0 } = (await plot.boundingBox()) ?? {};
    const cdp = await phone.context().newCDPSession(phone);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: at === undefined ? [] : [{ x: x + at, y: y + 60 }],
      });
    await touch('touchStart', 120);
    for (const at of [140, 180, 240]) await touch('touchMove', at);
    await touch('touchEnd');
    await phone.waitForURL(/from=.*to=/);
    await phone.context().close();
  });

  test('fits its place after that changes', async () => {
    await open('/logs?domain=app.example');
    const plot = page.locator('.log-plot svg');
    const isAsWide = () =>
      plot.evaluate((svg) => svg.clientWidth === svg.parentElement?.parentElement?.clientWidth);
    const size = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ width: 900, height: 720 });
    await until(isAsWide, 'the plot to be as narrow');
    await page.setViewportSize(size);
    await until(isAsWide, 'the plot to be as wide');
  });

  test('says what share of the lines it was made of, and that its numbers are estimates', async () => {
    await page.route('**/api/logs/stats?*', async (route) => {
      const answer = await route.fetch();
      const stats = (await answer.json()) as LogStats;
      const buckets = stats.buckets.map((one, at) => (at === 1 ? { ...one, unread: true } : one));
      const sampled = { of: 20, agents: { vps: 20, home: 5 } };
      await route.fulfill({ json: { ...stats, buckets, sampled } });
    });
    await open('/logs?path=/old/');
    const share = 'from 1 in 20 lines of vps and 1 in 5 lines of home';
    await page.getByRole('heading', { name: '≈ 240 requests', exact: true }).waitFor();
    const note = `Estimated ${share}. 1 bar is unknown, not 0: no line was read.`;
    await page.locator('.log-plot-notes', { hasText: note }).waitFor();
    expect(await page.locator('.log-legend b').first().textContent()).toBe('≈\u00a060');
    await page.locator('summary', { hasText: share }).click();
    expect(await page.locator('.log-top li').first().textContent()).toContain('≈\u00a0120');
    await page.getByText('Show as a table').click();
    const second = page.locator('.log-scroll tbody tr').nth(1);
    expect(await second.locator('td').first().textContent()).toBe('unknown');
    await page.unroute('**/api/logs/stats?*');
  });

  test('says how long a bar is, and marks the changes that went live', async () => {
    await open('/logs');
    await page.getByText(/a bar is (?:about )?[\d.]+ (min|h|s)/).waitFor();
    const mark = page.getByRole('link', { name: /^create http:\/\/app\.example by Ada/ });
    expect(await mark.getAttribute('href')).toBe('/changelog?domain=http%3A%2F%2Fapp.example');
    await mark.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Changes' }).waitFor();
    await page.goBack();
  });
});

test('the labels of the plot neither touch nor are cut on a phone', async () => {
  const phone = await page.context().newPage();
  type Label = Record<'from' | 'to' | 'y' | 'limit', number> & { text: string };
  const labels = () =>
    phone.locator('.log-plot svg').evaluate((plot): Label[] =>
      [...plot.querySelectorAll('text:not(:has(tspan)), tspan')].map((label) => {
        const { left, right, top } = label.getBoundingClientRect();
        const limit = plot.getBoundingClientRect().right;
        return { text: label.textContent ?? '', from: left, to: right, y: top, limit };
      }),
    );
  const at = (seconds: number) => new Date((START + seconds) * 1000).toISOString();
  for (const width of [390, 320]) {
    await phone.setViewportSize({ width, height: 800 });
    for (const span of [0.32, 0.4, 0.46, 24 * HOUR]) {
      await phone.goto(`/logs?from=${at(0)}&to=${at(span)}`);
      const written = (await labels()).filter(({ text }) => text !== '');
      expect(written.some(({ text }) => text.includes(':'))).toBe(true);
      for (const row of Map.groupBy(written, ({ y }) => Math.round(y)).values()) {
        const sorted = row.sort((a, b) => a.from - b.from);
        for (const [i, { text, to, limit }] of sorted.entries()) {
          const next = sorted[i + 1];
          expect([width, span, text, to <= limit]).toEqual([width, span, text, true]);
          if (next) expect([text, next.text, next.from - to >= 8]).toEqual([text, next.text, true]);
        }
      }
    }
  }
  await phone.close();
});

test('the page shows the most frequent values, and its plots as a table', async () => {
  await open('/logs?domain=app.example&status=5xx');
  await page.locator('.log-plot svg').first().waitFor();
  await page.getByText('Most frequent values').click();
  await page.locator('.log-top li').first().waitFor();
  await page.getByText('Show as a table').click();
  await page.getByRole('columnheader', { name: 'p95' }).waitFor();
  expect(await page.locator('.log-scroll tbody tr').count()).toBeGreaterThan(0);
});
