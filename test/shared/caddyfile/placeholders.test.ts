import { expect, test } from 'bun:test';
import {
  expandPlaceholders,
  findPlaceholders,
} from '../../../src/shared/caddyfile/placeholders.ts';

test.each([
  ['a {$X} b', 'a  b'],
  ['{$X:d:e}', 'd:e'],
  ['{$X:{}}', '{}'],
  ['"{$X:a\nb}" # {$X:c}', '"a\nb" # c'],
  ['{$} {$X', '{$} {$X'],
  ['{$X\n}', ''],
  ['{$EMPTY:d}', ''],
  ['{$SET:d}{$SET}', 'vv'],
  ['{$NEST}', '{$SET}'],
  ['{$toString}', ''],
])('%j becomes %j', (source, expected) => {
  const environment = { SET: 'v', EMPTY: '', NEST: '{$SET}' };
  expect(expandPlaceholders(source, environment)).toBe(expected);
});

test('finds names, defaults, offsets, and an open placeholder', () => {
  expect(findPlaceholders('a {$X} {$Y:} {$')).toEqual({
    placeholders: [
      { name: 'X', fallback: null, start: 2, end: 6 },
      { name: 'Y', fallback: '', start: 7, end: 12 },
    ],
    open: 13,
  });
});
