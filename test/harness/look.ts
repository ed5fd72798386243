/** Checks that every page of the dashboard has to pass. */
import type { Page } from 'playwright-core';

/** WCAG violations that axe-core rates serious or critical, each with its element. */
export async function seriousFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) {
    await page.evaluate(await Bun.file(require.resolve('axe-core/axe.min.js')).text());
  }
  return page.evaluate(async () => {
    type Found = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] };
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: Found[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
      );
  });
}

/** How many pixels the page is wider than its window. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
