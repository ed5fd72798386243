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
 * Buttons and links that are too small, or too near to others, for a finger (WCAG 2.2, 2.5.8).
 * `flaws` has to be asked first.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  seriousFaults(page, { runOnly: ['target-size'] });

/**
 * What is wrong with how a page looks: serious accessibility violations, in its theme and width, and of
 * contrast in the other theme on a small phone, which it must not be wider than.
 */
export async function flaws(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) {
    await page.evaluate(await Bun.file(require.resolve('axe-core/axe.min.js')).text());
  }
  const rules = Object.fromEntries(NEVER_SERIOUS.map((rule) => [rule, { enabled: false }]));
  const found = await seriousFaults(page, { rules });
  const isDark = await page.evaluate<boolean>('matchMedia("(prefers-color-scheme: dark)").matches');
  const before = page.viewportSize();
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' });
  await page.setViewportSize({ width: 320, height: 700 });
  const more = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (more > 0) found.push(`${more} pixels wider than a window of 320`);
  for (const fault of await seriousFaults(page, { runOnly: COLOURS })) {
    found.push(`${isDark ? 'light' : 'dark'}, at 320 pixels: ${fault}`);
  }
  if (before) await page.setViewportSize(before);
  return found;
}
