import { expect, test } from 'bun:test';
import { nearest } from '../../src/shared/nearest.ts';

const words = ['redir', 'respond', 'reverse_proxy', 'handle', 'handle_path', 'path', 'tls'];

test.each([
  ['', undefined],
  ['x', undefined],
  ['zzzzzz', undefined],
  ['directory', undefined],
  ['redir', undefined],
  ['redirect', 'redir'],
  ['rediir', 'redir'],
  ['proxy', 'reverse_proxy'],
  ['revers_proxy', 'reverse_proxy'],
  ['repsond', 'respond'],
  ['handle_paths', 'handle_path'],
  ['paths', 'path'],
  ['TLS', 'tls'],
  ['tsl', 'tls'],
])('%p is taken for %p', (word, found) => {
  expect(nearest(word, words)).toBe(found);
});

test('a very long word is nobody’s mistake', () => {
  expect(nearest('x'.repeat(100_000), ['x'.repeat(99_999)])).toBeUndefined();
});
