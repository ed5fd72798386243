// proof: browser
/** How much of the list is in sight, and that nothing of it is cut, overlaps or is too small to hit. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { startDashboard } from '../harness/dashboard.ts';
import { forFile } from '../harness/for-file.ts';
import { flaws } from '../harness/look.ts';
import { ask, freePort, until } from '../harness/stack.ts';
import { BROWSER_TIMEOUT_MS, markOf } from '../harness/visit.ts';

setDefaultTimeout(BROWSER_TIMEOUT_MS);

const LONG = 'http://a-rather-long-name-of-a-site.living-room.home.arpa';

const dashboard = await forFile(startDashboard());
const { stack, owner, upstream } = dashboard;
const gone = `127.0.0.1:${freePort()}`;
const operations = Array.from({ length: 26 }, (_, at) => ({
  op: 'create',
  domain: at === 25 ? LONG : `http://site-${at}.example`,
  upstream: at < 4 ? gone : upstream,
  config: 'reverse_proxy {upstream}',
  tags: ['home', 'media'],
}));
const made = await ask(`${stack.hub}/vhosts/bulk`, { ...owner, json: { operations } });
expect(made.status).toBe(200);
const page = await dashboard.open();

async function openAt(width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.goto('/sites');
  await markOf(page, 'http://site-0.example', 'down').waitFor();
  await markOf(page, LONG, 'live').waitFor();
  await page.locator('.strip').first().waitFor();
}

/** The rows that are in the window as a whole. */
const rowsInSight = () =>
  page.locator('.virtual-row').evaluateAll(
    (rows) =>
      rows.filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }).length,
  );

test('shows 14 of 26 sites in a small window, and a reason that four share once', async () => {
  await openAt(1024, 768);
  expect(await rowsInSight()).toBeGreaterThanOrEqual(14);
  await page.getByRole('list', { name: 'Shared by several sites' }).getByText('4 sites').waitFor();
  expect(await page.getByText(`${gone} does not answer`).count()).toBe(1);
});

test('begins in the upper quarter of a phone', async () => {
  await openAt(390, 844);
  const first = await page.locator('.virtual-row').first().boundingBox();
  expect(first?.y).toBeLessThanOrEqual(844 / 4);
});

test.each([1440, 1150, 1100, 1024, 920])(
  'cuts no name or upstream that has room, and no head, at %d pixels',
  async (width) => {
    await openAt(width, 800);
    const faults = await page.locator('.sites tr').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const isCut = (one: Element) => one.scrollWidth > one.clientWidth + 1;
        const cut = [...row.querySelectorAll('.name, .site-upstream > .cut, th')].filter(isCut);
        const [site, to] = [...row.querySelectorAll('.site-site, .site-upstream')];
        const needed = [...row.querySelectorAll('.name, .site-upstream > .cut')]
          .map((one) => one.scrollWidth)
          .reduce((a, b) => a + b, 0);
        const room = (site?.clientWidth ?? 0) + (to?.clientWidth ?? 0);
        const cells = [...row.children]
          .map((cell) => cell.getBoundingClientRect())
          .filter((cell) => cell.width > 0);
        const overlap = cells.some(({ left }, at) => (cells[at - 1]?.right ?? 0) > left + 1);
        const isFault = overlap || (cut.length > 0 && needed < room - 16);
        return isFault ? [row.textContent] : [];
      }),
    );
    expect(faults).toEqual([]);
  },
);

test.each([1440, 390, 320])(
  'is accessible, and all of it can be hit, at %d pixels',
  async (width) => {
    await openAt(width, 844);
    expect(await flaws(page)).toEqual([]);
    const small = await page
      .locator('main :is(button, a, select, label:has(input))')
      .evaluateAll((all) =>
        all.flatMap((one) => {
          const { width, height } = one.getBoundingClientRect();
          const isInText = one.matches('.tag-chip, .policy-mark, .proxy-mark, .name');
          return width > 0 && (width < 24 || height < 24) && !isInText ? [one.outerHTML] : [];
        }),
      );
    expect(small).toEqual([]);
  },
);

test('draws how each site was as the API says it, and ends with how it is', async () => {
  await openAt(1440, 900);
  type Strips = { strips: { id: number; bars: string }[] };
  const { body } = await ask<Strips>(`${stack.hub}/vhosts/strips?span=day`, owner);
  const before = body.strips[0]?.bars.slice(0, -1) ?? '';
  const failing = before.split('f').length;
  const row = page.getByRole('row').filter({ hasText: 'site-0.example' });
  const words = await row.locator('.strip').getAttribute('aria-label');
  expect(words).toContain(`Last 24 hours: failing in ${failing} of 60 spans`);
  await page.getByText('30 days', { exact: true }).click();
  await until(
    async () =>
      (await row.locator('.strip').getAttribute('aria-label'))?.startsWith('Last 30 days'),
    'the month',
  );
});
