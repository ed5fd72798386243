/** docs/troubleshooting.md, against the table of causes. */
import { describe, expect, test } from 'bun:test';
import { CAUSES } from '../../../src/features/explain/causes.ts';
import { STEP_OF, STEPS } from '../../../src/features/explain/schemas.ts';

const page = await Bun.file('docs/troubleshooting.md').text();
const [, causes = ''] = page.split('\n## Causes\n');
const [own = ''] = causes.split('\n## ');
/** The tables, by their order, as rows of cells. */
const tables = own
  .split('\n### ')
  .slice(1)
  .map((section) =>
    [...section.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells),
  );

describe('docs/troubleshooting.md', () => {
  test.each(STEPS.map((step, at) => [step, at] as const))(
    'has exactly the causes of the step %s, in the words of the program',
    (step, at) => {
      const rows = CAUSES.filter(({ code }) => STEP_OF[code] === step);
      expect(rows.length).toBeGreaterThan(0);
      expect(tables[at]).toEqual(rows.map(({ code, title, advice }) => [code, title, advice]));
    },
  );

  test('has no further table', () => expect(tables).toHaveLength(STEPS.length));

  test('has every cause that there is', () => {
    const codes = CAUSES.map(({ code }) => code);
    expect([...new Set<string>(codes)].toSorted()).toEqual(Object.keys(STEP_OF).toSorted());
  });
});
