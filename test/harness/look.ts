/** Checks that every page of the dashboard has to pass. */
import type { Page } from 'playwright-core';
import { words } from './words.ts';

/** Of axe-core's rules, those whose faults are never serious; they take a third of the time. */
const NEVER_SERIOUS = words(`
  aria-allowed-role aria-deprecated-role empty-heading empty-table-header heading-order
  landmark-banner-is-top-level landmark-contentinfo-is-top-level landmark-main-is-top-level
  landmark-no-duplicate-banner landmark-one-main landmark-no-duplicate-contentinfo
  landmark-no-duplicate-main landmark-unique page-has-heading-one presentation-role-conflict
  region skip-link
`);
/** The only rules that look at colours. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** Those whose outcome depends on the width: on what is beside what, and on what has to be scrolled. */
const OF_WIDTH = ['target-size', 'scrollable-region-focusable'];

/** WCAG violations that axe-core rates serious or critical, each with its element. */
function seriousFaults(page: Page, options: object): Promise<string[]> {
  return page.evaluate(
    async (given) => {
      type Found = {
        id: string;
        impact: string;
        nodes: { html: string; failureSummary: string }[];
      };
      const { axe } = globalThis as unknown as {
        axe: { run: (options: object) => Promise<{ violations: Found[] }> };
      };
      const { violations } = await axe.run(given);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
        );
    },
    { resultTypes: ['violations'], preload: false, ...options },
  );
}

/**
 * What is wrong with how a page looks: serious accessibility violations in its theme on a laptop, those of a
 * phone, and those of contrast in the other theme on a small phone; and where it is wider than the window.
 */
export async function flaws(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) {
    await page.evaluate(await Bun.file(require.resolve('axe-core/axe.min.js')).text());
  }
  const before = page.viewportSize();
  const isDark = await page.evaluate<boolean>('matchMedia("(prefers-color-scheme: dark)").matches');
  const other = isDark ? 'light' : 'dark';
  // The rule for sizes is off unless it is named.
  const off = NEVER_SERIOUS.map((rule) => [rule, { enabled: false }]);
  const rules = Object.fromEntries([...off, ['target-size', { enabled: true }]]);
  const found: string[] = [];
  const look = async (width: number, options: object, theme = '') => {
    await page.setViewportSize({ width, height: 900 });
    const more = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (more > 0) found.push(`${more} pixels wider than a window of ${width}`);
    // As tall as the page: what sticks to the end of a window covers something else by chance.
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    await page.setViewportSize({ width, height });
    for (const fault of await seriousFaults(page, options)) {
      found.push(`${theme} at ${width} pixels: ${fault}`);
    }
  };
  await look(1440, { rules });
  await look(390, { runOnly: OF_WIDTH });
  await page.emulateMedia({ colorScheme: other });
  await look(320, { runOnly: [...COLOURS, ...OF_WIDTH] }, other);
  if (before) await page.setViewportSize(before);
  return found;
}
