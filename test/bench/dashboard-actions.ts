/** What people do in the dashboard, and the longest tasks that each action causes. */
import type { Page } from 'playwright-core';
import type { Dashboard } from '../harness/dashboard.ts';
import { ms } from './table.ts';
import { tasksOf } from './trace.ts';

/** No task should be longer. */
export const SMOOTH_MS = 100;
const TAIL_SECONDS = 10;
const TAIL_EVERY_MS = 20;
/** 200 a second. */
const TAIL_AT_ONCE = 4;

type Row = [name: string, ...figures: string[]];

async function row(page: Page, name: string, act: () => Promise<unknown>): Promise<Row> {
  const tasks = await tasksOf(page, act);
  const by = (measure: 'clock' | 'work') => tasks.toSorted((a, b) => b[measure] - a[measure])[0];
  const over = tasks.filter(({ clock }) => clock > SMOOTH_MS).length;
  const longest = by('clock');
  const [clock, work] = [ms(longest?.clock ?? 0), ms(by('work')?.work ?? 0)];
  return [name, `${tasks.length}`, clock, work, `${over}`, longest?.spent ?? ''];
}

/** @param vhosts how many the list has */
export async function measureSites(page: Page, vhosts: number): Promise<Row[]> {
  const counted = page.locator('.site-count');
  const search = page.getByRole('searchbox', { name: 'Search sites' });
  const states = () => page.waitForResponse((answer) => answer.url().endsWith('/vhosts/state'));
  const show = async (name: string) => {
    await page.locator('.segments label', { hasText: new RegExp(`^${name}$`) }).click();
    await page.evaluate(FRAME);
  };
  const rows: Row[] = [];
  const all = counted.filter({ hasText: `${vhosts.toLocaleString('en')} sites` });

  rows.push(
    await row(page, 'sites: from the logs to the list', async () => {
      const known = states();
      await page.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
      await all.waitFor();
      await known;
    }),
    await row(page, 'sites: scroll down and up', () => scroll(page)),
    await row(page, 'sites: search, typed and deleted', async () => {
      const words = `site-${vhosts - 1}. 127`;
      await search.pressSequentially(words, { delay: 40 });
      await counted.filter({ hasText: /^1 of / }).waitFor();
      for (const _ of words) await search.press('Backspace', { delay: 20 });
      await all.waitFor();
    }),
    await row(page, 'sites: All, On, Off, Problems', async () => {
      for (const name of ['On', 'Off', 'Problems', 'All', 'Off', 'All']) await show(name);
    }),
    await row(page, 'sites: one off and on, and all loaded again', async () => {
      const menu = page.getByRole('button', { name: /^Actions of/ }).first();
      for (const action of ['Turn off', 'Turn on']) {
        const known = states();
        await menu.click();
        await page.getByRole('menuitem', { name: action }).click();
        await page.getByText(action === 'Turn off' ? / turned off/ : / turned on/).waitFor();
        await known;
      }
    }),
  );
  return rows;
}

/** Ends with the live log, for which it sends requests through the proxy. */
export async function measureLogs(page: Page, dashboard: Dashboard): Promise<Row[]> {
  const extent = (text: string | RegExp) =>
    page.locator('.log-extent', { hasText: text }).waitFor();
  const chip = (text: RegExp) => page.getByRole('button', { name: text });
  const plot = page.locator('.log-plot svg');
  const shown = async () => {
    await page.locator('.log-table[aria-busy=false]').waitFor();
    await page.locator('[aria-label="Requests and latency over time"][aria-busy=false]').waitFor();
    await page.evaluate(FRAME);
  };
  const rows: Row[] = [];
  rows.push(
    await row(page, 'logs: from the sites to the log', async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Logs' }).click();
      await plot.waitFor();
      await extent('of ');
      await shown();
    }),
    await row(page, 'logs: 20 pages by keyboard, and back', async () => {
      for (let at = 1; at <= 20; at++) {
        await page.keyboard.press('Alt+PageDown');
        await extent(`${at * 50 + 1}`.replace(/\B(?=(\d{3})+$)/g, ','));
      }
      await page.getByRole('button', { name: 'Newest' }).click();
      await extent(/^1–50/);
    }),
    await row(page, 'logs: filter by click, and off', async () => {
      await page.locator('.log-row .log-domain button').first().click();
      await chip(/Remove the filter domain/).waitFor();
      await shown();
      await page.locator('.log-row .log-status button').first().click();
      await chip(/Remove the filter status/).waitFor();
      await shown();
      await page.getByRole('button', { name: 'Clear all filters' }).first().click();
      await chip(/Remove the filter/)
        .first()
        .waitFor({ state: 'detached' });
      await shown();
    }),
    await row(page, 'logs: filters, typed', async () => {
      const fields = page.locator('.log-filters');
      await fields.getByLabel('Domain', { exact: true }).pressSequentially('site7.example', TYPED);
      await chip(/Remove the filter domain/).waitFor();
      await fields.getByLabel('Path starts with').pressSequentially('/a/7', TYPED);
      await chip(/Remove the filter path/).waitFor();
      await shown();
      await page.getByRole('button', { name: 'Clear all filters' }).first().click();
      await shown();
    }),
    await row(page, 'logs: zoom by drag, and out', async () => {
      const box = await plot.boundingBox();
      if (!box) throw new Error('no plot');
      const at = (part: number) => [box.x + box.width * part, box.y + box.height / 2] as const;
      await page.mouse.move(...at(0.3));
      await page.mouse.down();
      await page.mouse.move(...at(0.6), { steps: 30 });
      await page.mouse.up();
      await page.waitForURL(/from=.*to=/);
      await shown();
      await page.getByRole('button', { name: 'Zoom out' }).click();
      await shown();
    }),
    await row(page, `logs: live, 200 requests a second, ${TAIL_SECONDS} s`, async () => {
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      const stop = ask200(dashboard);
      await page.locator('.log-row', { hasText: '/bench-tail' }).first().waitFor();
      await Bun.sleep(TAIL_SECONDS * 1000);
      await stop();
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      await shown();
    }),
  );
  return rows;
}

const TYPED = { delay: 40 };
const FRAME = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))';

/** With the wheel, a screen and a half at a time, one step per frame. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 500);
  for (const by of [1200, -1200]) {
    let before = Number.NaN;
    for (;;) {
      await page.mouse.wheel(0, by);
      await page.evaluate(FRAME);
      const now = Number(await page.evaluate('scrollY'));
      const end = Number(
        await page.evaluate('document.documentElement.scrollHeight - innerHeight'),
      );
      if (now === before && (by > 0 ? now >= end - 1 : now === 0)) break;
      before = now;
    }
  }
}

/** Sends real requests through the proxy; the function it returns stops them. */
function ask200({ stack }: Dashboard): () => Promise<void> {
  const under = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    for (let at = 0; at < TAIL_AT_ONCE; at++) {
      const one = stack.served('site-1.example', `/bench-tail/${at}`).catch(() => {});
      under.add(one);
      void one.then(() => under.delete(one));
    }
  }, TAIL_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(under);
  };
}
