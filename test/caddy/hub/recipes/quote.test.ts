/** Texts of users in a Caddyfile, read back from a real Caddy. */
import { expect, test } from 'bun:test';
import { isQuotable } from '../../../../src/hub/recipes/quote.ts';
import { respond } from '../../../../src/hub/recipes/respond.ts';
import { forFile } from '../../../harness/for-file.ts';
import { seededRandom } from '../../../harness/random.ts';
import { words } from '../../../harness/words.ts';
import { bodyOf, startSitesCaddy } from '../../../hub/recipes/sites-caddy.ts';

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
])('what no quotation can hold is refused: %j', (text) => {
  expect(isQuotable(text)).toBe(false);
});

const PIECES = [
  ...words(`
    " { } $ EOF # @ ( ) , * {env.SECRET} {file.Caddyfile} {http.request.host} {host} {args[0]}
    respond import /* a ä € 200
  `),
  '`',
  '\\',
  '<<EOF\n',
  '\n',
  '\t',
  ' ',
  '\\{',
  '\\}',
  '}\n',
  ' {\n',
  '\u2028',
  '\u00a0',
  '\ufeff',
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

const sites = TEXTS.map(
  (text, index) => `\thandle /${index} {\n\t\t${respond('', text, 200)}\n\t}`,
);
const caddy = await forFile(startSitesCaddy({ 'texts.test': sites.join('\n') }));
test('a visitor reads exactly what was written', async () => {
  const answers = await Promise.all(TEXTS.map((_, index) => caddy.get('texts.test', `/${index}`)));
  const wrong = TEXTS.filter((text, index) => bodyOf(answers[index] ?? '') !== text);
  expect(wrong).toEqual([]);
  expect(TEXTS.length).toBeGreaterThan(400);
});
