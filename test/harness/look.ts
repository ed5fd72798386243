/** What is asked of every page of the dashboard, whatever it shows. */
import type { Page } from 'playwright-core';

/** WCAG faults that axe-core calls serious or critical, each with where it is. */
export async function seriousFaults(page: Page): Promise<string[]> {
  const source = await Bun.file(require.resolve('axe-core/axe.min.js')).text();
  await page.evaluate(source);
  return page.evaluate(async () => {
    type Found = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] };
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: Found[] }> };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
      );
  });
}

/** By how many pixels the page is wider than its window. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
