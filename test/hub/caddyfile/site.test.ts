/** Telling a body from a whole block. */
import { expect, test } from 'bun:test';
import { siteForm } from '../../../src/hub/caddyfile/site.ts';

test.each([
  ['a.example', 'respond a'],
  ['a.example', ''],
  ['a.example', 'a.example'],
  ['a.example', 'a.example\nrespond a'],
  ['a.example', 'b.example, a.example {\n}'],
  ['a.example', 'a.example\nb.example {\n}'],
  ['a.example', '{\n}'],
  ['a.example', 'a.example{\n}'],
  ['respond', 'respond {\n}'],
  ['@m', '@m {\n}'],
  ['import', 'import {\n}'],
  ['a.example', 'a.example "'],
])('for %j, %j is a body', (domain, config) => {
  expect(siteForm(domain, config)).toEqual({ form: 'body' });
});

test.each([
  ['a.example', 'a.example {\n}', ['a.example']],
  ['a.example', '# first\n\nA.Example:443 {\n}', ['A.Example:443']],
  [
    'a.example',
    'a.example, b.example,\n\tc.example d.example {\n}',
    [...'abcd'].map((name) => `${name}.example`),
  ],
  ['a.example', 'a.example\n\n{\n}', ['a.example']],
  ['a.example', '"a.example" {\n}', ['a.example']],
  [
    '{$SITE:a.example, b.example}',
    '{$SITE:a.example, b.example}, c {\n}',
    ['{$SITE:a.example, b.example}', 'c'],
  ],
  [':8080', ':8080 {\n}', [':8080']],
  ['http://', 'http:// {\r\n}', ['http://']],
  ['http://metrics', 'http://metrics {\n}', ['http://metrics']],
  ['bücher.example', 'xn--bcher-kva.example {\n}', ['xn--bcher-kva.example']],
  ['a.example/x', 'a.example/x {\n}', ['a.example/x']],
])('for %j, %j is a whole block', (domain, config, addresses) => {
  expect(siteForm(domain, config)).toEqual({ form: 'block', addresses });
});
