/** Snippets that hold whole sites are written where they are imported, and nothing else changes. */
import { describe, expect, test } from 'bun:test';
import { expandSites } from '../../../../src/features/import/caddyfile/expand.ts';

describe('nothing changes', () => {
  test.each<[string, string]>([
    ['without imports outside of blocks', '(s) {\n\tgzip\n}\na.example {\n\timport s\n}\n'],
    ['if a file is imported', 'import sites/*.caddy\na.example {\n}\n'],
    ['if an argument cannot be written as it is', '(s) {\n\t{args[0]} {\n\t}\n}\nimport s "a b"\n'],
    [
      'if an argument is missing',
      '(s) {\n\t{args[0]} {\n\t\trespond {args[1]}\n\t}\n}\nimport s a\n',
    ],
    ['if all arguments are meant', '(s) {\n\t{args[:]} {\n\t}\n}\nimport s a b\n'],
    ['if the word is in a comment', '(s) {\n}\n# import s\na.example {\n}\n'],
  ])('%s', (_, text) => expect(expandSites(text)).toBe(text));

  test('if that would be too long', () => {
    const body = `\ta.example {\n\t\trespond ${'x'.repeat(100_000)}\n\t}\n`;
    const text = `(s) {\n${body}}\n${'import s\n'.repeat(1_000)}`;
    expect(expandSites(text)).toBe(text);
    // Ten each, ten deep.
    const nested = Array.from({ length: 10 }, (_, at) => {
      const inner = at === 9 ? 'b.example {\n\t}' : `import s${at + 1}\n`.repeat(10);
      return `(s${at}) {\n${inner}\n}\n`;
    });
    expect(expandSites(`${nested.join('')}import s0\n`).length).toBeLessThan(9_000_000);
  });

  test('if snippets import each other for ever', () => {
    const text = expandSites('(a) {\n\timport b\n}\n(b) {\n\timport a\n}\nimport a\n');
    expect(text.length).toBeLessThan(1_000);
  });
});

test('each import becomes the sites, with its arguments, and the snippet is gone', () => {
  const file = [
    '# one of each',
    '(app) {',
    '\thttp://{args[0]}.example {',
    '\t\treverse_proxy {args.1}',
    '\t}',
    '}',
    'import app one 10.0.0.1:80',
    'import app two 10.0.0.2:80 # the other',
  ].join('\n');
  expect(expandSites(file)).toBe(
    [
      '# one of each',
      'http://one.example {',
      '\t\treverse_proxy 10.0.0.1:80',
      '\t}',
      'http://two.example {',
      '\t\treverse_proxy 10.0.0.2:80',
      '\t} # the other',
    ].join('\n'),
  );
});

test('a snippet that sites import as well stays, and one in another is written too', () => {
  const file = [
    '(common) {',
    '\tencode gzip',
    '}',
    '(all) {',
    '\ta.example {',
    '\t\timport common',
    '\t}',
    '\timport more',
    '}',
    '(more) {',
    '\tb.example {',
    '\t}',
    '}',
    'import all',
    '',
  ].join('\n');
  const text = expandSites(file);
  expect(text).toStartWith('(common) {\n\tencode gzip\n}\n');
  expect(text).not.toContain('(all)');
  expect(text).not.toContain('(more)');
  expect(text).toMatch(/a\.example \{\n\t\timport common\n\t\}\n\tb\.example \{\n\t\}\n$/);
});
