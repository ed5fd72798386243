/** Texts of users in a Caddyfile, read back from a real Caddy. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isQuotable } from '../../../../src/hub/recipes/quote.ts';
import { respond } from '../../../../src/hub/recipes/respond.ts';
import { seededRandom } from '../../../harness/random.ts';
import { bodyOf, type SitesCaddy, startSitesCaddy } from '../../../hub/recipes/sites-caddy.ts';

describe('what no quotation can hold is refused', () => {
  test.each([
    ['{$SECRET}'],
    ['a{$SECRET:b}'],
    ['}'],
    ['a\0'],
    ['a\r\nb'],
    ['\x1b'],
    ['\x7f\x85'],
    ['\ud800'],
    ['`a\\'],
    ['` \\"'],
    ['\\}'],
  ])('%j', (text) => {
    expect(isQuotable(text)).toBe(false);
  });
});

const PIECES = [
  '"',
  '`',
  '\\',
  '{',
  '}',
  '$',
  '<<EOF\n',
  'EOF',
  '\n',
  '\t',
  ' ',
  '#',
  '@',
  '(',
  ')',
  ',',
  '*',
  '{env.SECRET}',
  '{file.Caddyfile}',
  '{http.request.host}',
  '{host}',
  '{args[0]}',
  '\\{',
  '\\}',
  'respond',
  'import',
  '}\n',
  ' {\n',
  '/*',
  'a',
  'ä',
  '€',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '200',
] as const;

const TEXTS = [
  '"',
  '"}"',
  '\\"',
  'a\\',
  '\\\\',
  '\\\\"',
  '{',
  '{}',
  '{ }',
  '} }',
  '{env.SECRET}',
  '\\{env.SECRET}',
  'a\\}{',
  '{\\}',
  '\\\\{host}',
  '<<EOF\nx\nEOF',
  '`',
  '``',
  '`"',
  '`"{',
  "'",
  '#',
  'a # b',
  'a\nb',
  ...randomTexts(600),
].filter((text) => isQuotable(text));

function randomTexts(count: number): string[] {
  const random = seededRandom(71);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join(''),
  );
}

let caddy: SitesCaddy;
beforeAll(async () => {
  const sites = TEXTS.map(
    (text, index) => `\thandle /${index} {\n\t\t${respond('', text, 200)}\n\t}`,
  );
  caddy = await startSitesCaddy({ 'texts.test': sites.join('\n') });
});
afterAll(() => caddy.stop());

test('a visitor reads exactly what was written', async () => {
  const answers = await Promise.all(TEXTS.map((_, index) => caddy.get('texts.test', `/${index}`)));
  const wrong = TEXTS.filter((text, index) => bodyOf(answers[index] ?? '') !== text);
  expect(wrong).toEqual([]);
  expect(TEXTS.length).toBeGreaterThan(400);
});
