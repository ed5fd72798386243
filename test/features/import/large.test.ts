/** An import as long as a request may be: refused while it is read, or read with pauses for other requests. */
import { expect, test } from 'bun:test';
import { inlineImports } from '../../../src/features/import/caddyfile/inline.ts';
import { splitCaddyfile } from '../../../src/features/import/caddyfile/split.ts';
import { assertReadable } from '../../../src/features/import/first-pass.ts';
import { tokenize, tokenizeInTurns } from '../../../src/shared/caddyfile/tokenizer.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

/** The body has a character more for each line. */
const LENGTH = 10 * 1024 * 1024;
const filled = (unit: string, length = LENGTH) => unit.repeat(Math.floor(length / unit.length));
const sites = (many: number, words: number) =>
  Array.from({ length: many }, (_, at) => `http://s${at}.example {\n${'a '.repeat(words)}\n}\n`);

const owner = await forFile(startOwner());
const adapted = () => owner.stack.lines.filter((line) => line.includes('/proxy/adapt')).length;

test.each<[string, string, string, number]>([
  ['one site', `a.example {\n${filled('respond ok\n')}}\n`, 'more than 50000 words', 25_001],
  ['a site without braces', `a.example\n${filled('a\n')}`, 'more than 50000 words', 50_001],
  ['nested blocks', `a.example {\n${filled('a {\n')}`, 'at most 64 deep', 66],
  ['a snippet', `(a) {\n${filled('a\n')}}\n`, 'more than 50000 words', 50_000],
  ['global options', `{\n${filled('debug\n')}}\n`, 'more than 50000 words', 50_001],
  ['sites', sites(11, 49_990).join(''), 'together have more than 500000 words', 32],
  ['placeholders', `a.example {\n${filled('{$A}')}\n}\n`, 'too many {$…}', 2],
])('%s: is refused before anybody else reads it', async (_, proxyfile, detail, line) => {
  const before = adapted();
  const { status, body } = await owner.call<Body & { message: string }>('POST', '/import', {
    proxyfile,
  });
  expect([status, body]).toMatchObject([502, { code: 'PROXY_REJECTED', line }]);
  expect(body.detail).toContain(detail);
  expect(body.message).toBe('This file cannot be imported; nothing was changed.');
  expect(adapted()).toBe(before);
});

/** How often a reading let others have a turn. */
async function turnsOf(read: (pause: () => Promise<void>) => Promise<unknown>): Promise<number> {
  let turns = 0;
  await read(async () => {
    turns++;
  });
  return turns;
}

test('others have a turn after each thousand words, also within one site', async () => {
  const file = sites(3, 40_000).join('');
  const least = 120;
  expect(await turnsOf((pause) => assertReadable(file, {}, pause))).toBeGreaterThanOrEqual(least);
  expect(await turnsOf((pause) => splitCaddyfile(file, {}, pause))).toBeGreaterThanOrEqual(least);
  const inlined = `import x\n${file}`;
  const none = () => null;
  expect(
    await turnsOf((pause) => inlineImports(inlined, none, {}, { pause })),
  ).toBeGreaterThanOrEqual(least);
});

test('a text has the same words, read in turns', async () => {
  const text = `\ufeff${sites(2, 3_000).join('# a "comment"\n')}\\\n"quoted \\" {" <<E\n  b\n  E\n\`raw`;
  for (const options of [{}, { heredocs: true }, { most: 2_500 }]) {
    expect(await tokenizeInTurns(text, options, () => undefined)).toEqual(tokenize(text, options));
  }
});
