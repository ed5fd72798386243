/** docs/troubleshooting.md, against the table of causes. */
import { describe, expect, test } from 'bun:test';
import { CAUSE_WORDS, STEPS } from '../../../src/features/explain/words.ts';

const page = await Bun.file('docs/troubleshooting.md').text();
const [, causes = ''] = page.split('\n## Causes\n');
const [own = ''] = causes.split('\n## ');
/** The tables, by their order, as rows of cells. */
const tables = own
  .split('\n### ')
  .slice(1)
  .map((section) =>
    [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, ...cells]) => cells),
  );

describe('docs/troubleshooting.md', () => {
  test.each(STEPS.map((step, at) => [step, at] as const))(
    'has exactly the causes of the step %s, and what the program says helps',
    (step, at) => {
      const rows = Object.entries(CAUSE_WORDS).filter(([, words]) => words.step === step);
      expect(rows.length).toBeGreaterThan(0);
      expect(tables[at]).toEqual(rows.map(([code, { advice }]) => [code, advice]));
    },
  );

  test('has no further table', () => expect(tables).toHaveLength(STEPS.length));
});
