// proof: attack
/**
 * Texts that are too long for quadratic time, made of what scanners of Caddyfiles get stuck on; with
 * `--full`, as long as a request may be. There is no clock here: whatever takes quadratic time for one
 * of them does not finish before the test's end.
 */
import { expect, test } from 'bun:test';
import { splitCaddyfile } from '../../src/features/import/caddyfile/split.ts';
import { unifiedDiff } from '../../src/hub/caddyfile/diff.ts';
import { siteForm } from '../../src/hub/caddyfile/site.ts';
import { checkConfig } from '../../src/shared/caddyfile/check.ts';
import { portOptions } from '../../src/shared/caddyfile/globals.ts';
import { checkPreamble, snippetNames } from '../../src/shared/caddyfile/preamble.ts';
import { weigh } from '../../src/shared/caddyfile/weight.ts';
import { FULL, some } from '../harness/full.ts';

/** 3 × 10^10 steps, of a quarter of the longest, take longer than a test may. */
const SHORTER = 256 * 1024;
const LENGTH = some(SHORTER, 4 * SHORTER);
const filled = (unit: string, length = LENGTH) => unit.repeat(Math.floor(length / unit.length));

/** What may stand before them: nothing, and of these one after the other, or with `--full` all. */
const BEGINNINGS = [
  'import /etc/parts/',
  '"',
  '`',
  '(a) {\n',
  '{\n',
  'a {\n} # ',
  'respond <<A\n',
] as const;
const UNITS = [
  '{$',
  '{$A',
  '{$A}',
  '{$A:b} ',
  '{$A} {$B} {$C} {$D} {$E}\n',
  '{$A}{$B}{$C}\n',
  '{$A:"}',
  '{args',
  '{args ',
  '{args.0}',
  '{args[',
  '{block',
  '{',
  '}',
  '{ ',
  'a {\n',
  'a {\n}\n',
  'handle {\n',
  '(a) {\n}\n',
  '<<',
  '<<A\n',
  '<<A\nA\n',
  '\\',
  '\\\n',
  '\\ ',
  '# \\\n',
  '#',
  '"',
  '""',
  '"\\',
  '`',
  '``',
  '\r',
  '\r\n',
  ' ',
  '\n',
  '\u0085',
  'a',
  'a ',
  'a, ',
  'import a\n',
  'import ',
  '{upstream}',
  '{upstream} ',
  'reverse_proxy a:1\n',
];

test.each(
  UNITS.map((unit, at) => ({ unit, beginnings: BEGINNINGS.slice(at % BEGINNINGS.length) })),
)('as much of $unit as a request may hold is read to its end', async ({ unit, beginnings }) => {
  for (const before of ['', ...(FULL ? BEGINNINGS : beginnings.slice(0, 1))]) {
    const text = filled(unit, before === '' ? LENGTH : SHORTER);
    for (const heredocs of [false, true]) {
      const options = { heredocs, importDirs: ['/etc/parts'] };
      checkConfig(before + text, 'body', options);
      checkPreamble(`${before}${text}\n}`, options);
    }
    siteForm('a', before + text);
    snippetNames(before + text);
    portOptions(before + text);
    await splitCaddyfile(before + text);
    expect(weigh(before + text).tokens).toBeGreaterThanOrEqual(0);
  }
});

test('a line of nine placeholders is not read in every combination again and again', () => {
  const line = '{$A} {$B} {$C} {$D} {$E} {$F} {$G} {$H} {$I}\n';
  expect(checkConfig(line.repeat(5), 'body')).toBeNull();
  expect(checkConfig(line.repeat(100), 'body')?.message).toContain('could change what is imported');
  expect(checkConfig(line.repeat(5_000), 'body')?.message).toContain('more than 1000 {$…}');
});

test('a site has at most 50,000 words', () => {
  expect(checkConfig('header X-A 1\n'.repeat(16_000), 'body')).toBeNull();
  expect(checkConfig('header X-A 1\n'.repeat(17_000), 'body')).toEqual({
    line: 16_667,
    message: 'This is too long: more than 50000 words.',
  });
});

test('snippets cannot multiply: their size is known before they are put in place', () => {
  const snippets = (count: number, body: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => `(s${at}) {\n${at === 0 ? 'a' : body(at)}\n}\n`).join(
      '',
    );
  const twice = snippets(30, (at) => `import s${at - 1}\nimport s${at - 1}`);
  expect(weigh(twice).size).toBeLessThan(1_000);
  expect(weigh(`${twice}a.example {\nimport s29\n}`).size).toBeGreaterThan(2 ** 29);
  expect(weigh(`${twice}a.example {\nimport s3\n}`).size).toBeLessThan(2_000);
  const chain = snippets(50_000, (at) => `import s${at - 1}`);
  expect(weigh(`${chain}a.example {\nimport s49999\n}`).size).toBeGreaterThan(2 ** 40);
  const inside = '(b) {\n{block}\n}\na.example {\nimport b {\nrespond a\n}\n}';
  expect(weigh(inside).size).toBe(Number.POSITIVE_INFINITY);
  expect(weigh('(a) {\nimport a\n}\nb {\nimport a\n}').size).toBe(Number.POSITIVE_INFINITY);
});

test('a diff of many scattered lines is given up, one of many lines in a row is not', () => {
  const lines = (name: string) =>
    Array.from({ length: 50_000 }, (_, at) => `${at % 2 ? name : 'same'} ${at}\n`).join('');
  const [old, now] = [lines('old'), lines('new')];
  expect(unifiedDiff(old, now)).toBe('@@ too different to show @@\n');
  const added = unifiedDiff('first\nlast\n', `first\n${now}last\n`).split('\n');
  const head = ['@@ -1,2 +1,50002 @@', ' first', '+same 0', '+new 1'];
  expect(added.slice(0, 4)).toEqual(head);
  expect(added.slice(-3)).toEqual(['+new 49999', ' last', '']);
  expect(unifiedDiff(old, old)).toBe('');
  expect(unifiedDiff('a\nb\n', 'a\nc\n')).toBe('@@ -1,2 +1,2 @@\n a\n-b\n+c\n');
});
