// proof: browser
/** The log page: hostile text, filters, keyboard and live log. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { line } from '../agent/logs/lines.ts';
import { launchBrowser } from '../harness/browser.ts';
import { forFile } from '../harness/for-file.ts';
import { ask, hasFeature, signUp, startStack, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, textOf, visit } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const HOUR = 3600;
const START = Date.parse('2026-11-20T10:00:00Z') / 1000;

const stack = await forFile(startStack());
const { headers, token } = await signUp(stack);
const json = { domain: 'http://app.example', config: 'respond here' };
const made = await ask(`${stack.hub}/vhosts`, { json, headers });
if (made.status !== 201) throw new Error(made.text);
const lines: string[] = [];
for (let at = 0; at < 240; at++) {
  const request = { host: at % 2 ? 'app.example' : 'other.example', uri: `/old/${at}` };
  const status = [200, 304, 404, 500][at % 4];
  lines.push(line({ ts: START + (at * HOUR) / 10, status, duration: 0.01, request }));
}
const sly = {
  uri: '/<img src=x onerror=document.title=`owned`>\u202egnp.exe\u0007',
  host: '<script>document.title=1</script>',
};
lines.push(line({ ts: START + 30 * HOUR, status: 418, request: sly }));
const long = { uri: `/long/${'A'.repeat(900_000)}`, host: 'long.example' };
lines.push(line({ ts: START + 30 * HOUR, status: 431, request: long }));
mkdirSync(dirname(stack.accessLog), { recursive: true });
appendFileSync(stack.accessLog, `${lines.join('\n')}\n`);
await stack.served('app.example', '/%3Cimg%20src=x%20onerror=document.title=1%3E');

const browser = await forFile(launchBrowser());
const viewport = { width: 1280, height: 800 };
const { page, browserErrors } = await visit(browser, stack, token, { viewport });

const rows = () => page.locator('.log-row');
const field = (label: string) => page.locator('.log-filters').getByLabel(label, { exact: true });
const query = () => new URL(page.url()).searchParams;
const extent = (text: string | RegExp) => page.locator('.log-extent', { hasText: text }).waitFor();

async function open(address: string): Promise<void> {
  await page.goto(address);
  await page.locator('.log-row, .log .empty').first().waitFor();
}

test('at least eight requests are in a window of 1280 × 800', async () => {
  await open('/logs?page=2');
  if (hasFeature('statistics')) await page.locator('.log-plot svg').first().waitFor();
  const inView = await page.evaluate(
    () =>
      [...document.querySelectorAll('.log-row')].filter(
        (row) => row.getBoundingClientRect().bottom <= innerHeight,
      ).length,
  );
  expect(inView).toBeGreaterThanOrEqual(8);
});

describe('text from strangers', () => {
  test('stays text, and never runs', async () => {
    await open('/logs');
    if (hasFeature('statistics')) {
      await page.getByRole('button', { name: 'Latency and figures' }).click();
      await page.getByText('Most frequent values').click();
      await page.locator('.log-top li').first().waitFor();
    }
    const sly = rows().filter({ hasText: '418' });
    expect(await sly.locator('.log-path').textContent()).toBe(
      '/<img src=x onerror=document.title=`owned`>⟨U+202E⟩gnp.exe⟨U+0007⟩',
    );
    expect(await sly.locator('.log-domain').textContent()).toBe(
      '<script>document.title=1</script>',
    );
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toMatch(/^(\(\d+\) )?Logs · signalbox$/);
    await rows().filter({ hasText: '%3Cimg%20src=x' }).first().waitFor();
  });

  test('works as a filter, unchanged in the address and visible in the chip', async () => {
    await rows().filter({ hasText: '418' }).locator('.log-path button').click();
    await extent('1–1 of 1');
    expect(query().get('path')).toBe(
      '/<img src=x onerror=document.title=`owned`>\u202egnp.exe\u0007',
    );
    await page.getByRole('button', { name: /Remove .*⟨U\+202E⟩gnp/ }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('is cut if it is long, and shown in a dialog', async () => {
    await open('/logs?status=431');
    expect((await rows().first().locator('.log-path').textContent())?.length).toBeLessThan(200);
    await rows().first().getByRole('button', { name: 'Details' }).click();
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.getByText('900,006 characters').waitFor();
    await dialog.locator('[aria-busy=false]').waitFor();
    expect((await dialog.textContent())?.length).toBeLessThan(12_000);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

describe('a request', () => {
  const details = () => page.getByRole('dialog', { name: 'Request' });
  const fact = (label: string) =>
    details().locator('dl > div', { has: page.getByText(label, { exact: true }) });

  test('opens to everything that Caddy wrote, by keyboard as well', async () => {
    const url = `http://127.0.0.1:${stack.httpPort}/seen?token=1`;
    const headers = { Host: 'app.example', 'User-Agent': 'tester/<b>1', Cookie: 'session=secret' };
    await fetch(url, { headers, keepalive: false });
    await until(async () => {
      await open('/logs?path=/seen&domain=app.example');
      return (await rows().count()) > 0;
    });
    await rows().first().locator('.log-time button').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await fact('User agent').getByText('tester/<b>1').waitFor();
    await fact('Query').getByText('token=1').waitFor();
    await fact('Protocol').getByText('HTTP/1.1').waitFor();
    expect(await details().textContent()).not.toContain('secret');
    await fact('IP address').getByRole('button', { name: 'Filter by IP address' }).click();
    await details().waitFor({ state: 'detached' });
    expect(query().get('ip')).toBe('127.0.0.1');
    await field('User agent').fill('TESTER/<B>');
    await page.getByRole('button', { name: 'Remove the filter user agent contains' }).waitFor();
    await extent(/^1–1 of 1$/);
    expect(query().get('userAgent')).toBe('TESTER/<B>');
  });

  test('that is gone from the log says so', async () => {
    await open('/logs?path=/seen');
    await page.route('**/api/logs?*details=true*', (route) =>
      route.fulfill({ json: { logs: [], total: 0, page: 1, pageSize: 50 } }),
    );
    await rows().first().getByRole('button', { name: 'Details' }).click();
    await details().getByText('no longer in the log').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/api/logs?*details=true*');
  });
});

test('a download has all requests that match', async () => {
  await open('/logs?domain=other.example&status=404');
  await page.locator('.log-download summary').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV, for spreadsheets' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('access-log.csv');
  const text = await textOf(download);
  const [names, ...lines] = text.trimEnd().split('\r\n');
  expect(names).toStartWith('timestamp,domain,');
  expect(lines).toHaveLength(60);
  expect(lines.every((one) => one.includes(',other.example,GET,/old/'))).toBe(true);
});

describe('filters', () => {
  test.each([
    ['Path contains', '/old/1', '0', 300],
    ['From', '2026-11-20 10:00', ':30', 800],
  ])(
    'keep what is typed before the page has drawn the last: %s',
    async (name, first, rest, pause) => {
      const other = await visit(browser, stack, token, { viewport });
      // Stopped, the clock draws no frame either, as a busy machine for a while.
      await other.page.clock.install();
      await other.page.goto('/logs');
      await other.page.locator('.log-row').first().waitFor();
      await other.page.clock.pauseAt(Date.now() + 60_000);
      const input = other.page.locator('.log-filters').getByLabel(name, { exact: true });
      await input.fill(first);
      await other.page.clock.runFor(pause);
      await other.page.locator('.chips').waitFor();
      await input.pressSequentially(rest);
      expect(await input.inputValue()).toBe(first + rest);
      await other.page.clock.runFor(5_000);
      expect(await input.inputValue()).toBe(first + rest);
      expect(new URL(other.page.url()).searchParams.size).toBe(1);
      await other.page.close();
    },
  );

  test('apply while typing, as one step in the history, but not what the API would reject', async () => {
    await open('/logs');
    await field('Status').fill('abc');
    await page.getByText('Enter a status such as 404, or a class such as 5xx.').waitFor();
    await field('Status').press('Enter');
    expect(query().size).toBe(0);
    await field('Status').fill('');
    await field('Path starts with').pressSequentially('/old/23');
    await extent('1–11 of 11');
    expect(query().get('path')).toBe('/old/23');
    await page.getByRole('heading', { name: '11 requests', exact: true }).waitFor();
    await page.goBack();
    await extent(/1–50 of/);
    expect(await field('Path starts with').inputValue()).toBe('');
  });

  test('that match nothing say so and can be cleared', async () => {
    await open('/logs?q=nowhere&status=1xx');
    await page.getByText('No requests match these filters.').waitFor();
    await page.locator('.empty').getByRole('button', { name: 'Clear all filters' }).click();
    await extent('1–50 of');
    expect(query().size).toBe(0);
  });

  test('beyond the last page say so and lead to the newest', async () => {
    await open('/logs?page=99&domain=app.example');
    await page.getByText('There is no page 99').waitFor();
    await page.getByRole('button', { name: 'Show the newest requests' }).click();
    await rows().first().waitFor();
    expect(page.url()).toEndWith('/logs?domain=app.example');
  });

  test('set by a click are in the address, and survive reload, back and forward', async () => {
    await open('/logs?page=2&domain=other.example');
    await rows().first().locator('.log-status button').click();
    await extent(/of 60$/);
    expect(page.url()).toEndWith('/logs?domain=other.example&status=404');
    await page.reload();
    await extent(/of 60$/);
    expect(await field('Domain').inputValue()).toBe('other.example');
    await page.goBack();
    await extent(/^51–100 of 120/);
    expect(await field('Status').inputValue()).toBe('');
    await page.goForward();
    await extent(/of 60$/);
    await page.getByRole('button', { name: 'Remove the filter status 404' }).click();
    await extent(/of 120$/);
  });

  test('of time are shown as local time and kept as UTC', async () => {
    await open('/logs?from=2026-11-20T12:00Z');
    const from = page.getByLabel('From', { exact: true });
    const local = await page.evaluate(() => new Date('2026-11-20T12:00Z').getHours());
    expect(await from.inputValue()).toContain(` ${String(local).padStart(2, '0')}:00`);
    await page.getByLabel('Until', { exact: true }).fill('2026-11-20 13:00:01');
    await page.waitForURL(/to=/);
    expect(Date.parse(query().get('to') ?? '')).toBe(new Date(2026, 10, 20, 13, 0, 1).getTime());
    await page.getByRole('button', { name: 'All time' }).click();
    expect(query().size).toBe(0);
    await page.getByRole('button', { name: '7 days' }).click();
    expect(query().get('from')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  });
});

describe('the keyboard', () => {
  test('reaches the table in one tab stop, and its values with the arrow keys', async () => {
    await open('/logs');
    expect(await page.locator('.log-table button[tabindex="0"]').count()).toBe(1);
    await rows().first().locator('.log-time button').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    const inThird = rows().nth(2).locator('.log-status button');
    expect(await inThird.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await inThird.getAttribute('tabindex')).toBe('0');
    expect(await page.locator('.log-table button[tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Remove the filter status/ }).waitFor();
  });

  test('turns pages, with letters in the table and with Alt anywhere', async () => {
    await open('/logs');
    await page.keyboard.press('n');
    expect(query().get('page')).toBeNull();
    await page.keyboard.press('Alt+PageDown');
    await extent('51–100 of');
    await rows().first().locator('.log-time button').focus();
    await page.keyboard.press('n');
    await extent('101–150 of');
    expect(query().get('page')).toBe('3');
    await page.keyboard.press('p');
    await page.keyboard.press('Alt+PageUp');
    await extent('1–50 of');
    await field('Path contains').press('n');
    await extent('1–50 of');
    expect(query().get('page')).toBeNull();
  });
});

describe('the live log', () => {
  const firstPath = (text: string) => rows().first().filter({ hasText: text }).waitFor();
  const hide = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);

  test('shows new requests that match the filters, each once', async () => {
    await open('/logs?domain=app.example');
    await page.getByRole('button', { name: 'Live' }).click();
    await stack.served('other.example', '/elsewhere');
    await until(async () => {
      await stack.served('app.example', '/now');
      return (await rows().filter({ hasText: '/now' }).count()) > 0;
    });
    await stack.served('app.example', '/last');
    await firstPath('/last');
    expect(await rows().filter({ hasText: '/last' }).count()).toBe(1);
    expect(await rows().filter({ hasText: '/elsewhere' }).count()).toBe(0);
    await rows().filter({ hasText: '/old/239' }).waitFor();
  });

  test('has no stream while the page is hidden, and then catches up', async () => {
    await hide(true);
    await stack.served('app.example', '/unseen');
    await hide(false);
    await rows().filter({ hasText: '/unseen' }).waitFor();
    await stack.served('app.example', '/afterwards');
    await rows().filter({ hasText: '/afterwards' }).waitFor();
    expect(await rows().filter({ hasText: '/unseen' }).count()).toBe(1);
  });

  test('pauses by button and by Space, counts what waits, and resumes', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await stack.served('app.example', '/held-1');
    await stack.served('app.example', '/held-2');
    await page.getByRole('button', { name: '2 new' }).waitFor();
    expect(await rows().filter({ hasText: '/held' }).count()).toBe(0);
    await page.locator('main').focus();
    await page.keyboard.press('Space');
    await firstPath('/held-2');
    expect(await rows().filter({ hasText: '/held' }).count()).toBe(2);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
  });

  test('follows a changed filter', async () => {
    await field('Status').fill('500');
    await page.getByRole('button', { name: 'Resume' }).click();
    await rows().filter({ hasText: '/old/2' }).first().waitFor();
    await stack.served('app.example', '/not-missing');
    expect(await rows().filter({ hasText: '/not-missing' }).count()).toBe(0);
  });

  test('says when it is interrupted and how much was skipped, and stops', async () => {
    await page.route('**/api/logs/tail?*', (route) => route.fulfill({ status: 502, body: '{}' }));
    await hide(true);
    await hide(false);
    await page.getByText('Connection lost. Reconnecting …').waitFor();
    await page.unroute('**/api/logs/tail?*');
    const gap = 'retry: 60000\nevent: gap\ndata: {"missed":3}\n\n';
    await page.route('**/api/logs/tail?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: gap }),
    );
    await page.getByText('3 requests were skipped.').waitFor();
    await page.unroute('**/api/logs/tail?*');
    await page.getByRole('button', { name: 'Live' }).click();
    await extent('of');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  });
});

test('a log that cannot be read is named, with the reason', async () => {
  renameSync(stack.accessLog, `${stack.accessLog}.aside`);
  symlinkSync(stack.accessLog, stack.accessLog);
  await page.goto('/logs');
  const words =
    'The access log (ACCESS_LOG) cannot be read: access.log: symbolic links in its path lead in a circle.';
  await page.locator('main').getByText(words).first().waitFor();
  rmSync(stack.accessLog);
  renameSync(`${stack.accessLog}.aside`, stack.accessLog);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await rows().first().waitFor();
});

test('a missing agent is reported, and what was shown stays', async () => {
  await open('/logs');
  expect(browserErrors).toEqual([]);
  await page.route('**/api/logs?*', (route) =>
    route.fulfill({
      status: 502,
      contentType: 'application/json',
      body: '{"code":"AGENT_UNREACHABLE","message":"The agent does not answer."}',
    }),
  );
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('alert').filter({ hasText: 'The agent does not answer.' }).waitFor();
  expect(await rows().count()).toBe(50);
  await page.unroute('**/api/logs?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await extent('51–100 of');
  expect(browserErrors).toEqual([]);
});
