/** How much a page's content shifts while it loads. */
import type { Page } from 'playwright-core';

/** Starts to watch, from the next page on. */
export const watchShifts = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push(Number(Reflect.get(entry, 'value')));
    }).observe({ type: 'layout-shift', buffered: true });
  });
};

/** The sum of the page's layout shifts; less than 0.1 is “good” by Core Web Vitals. */
export const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(() =>
    (Reflect.get(globalThis, 'shifts') as number[]).reduce((all, one) => all + one, 0),
  );
