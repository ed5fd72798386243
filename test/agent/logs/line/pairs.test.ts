/** The numbers of pairs of domain and status. */
import { expect, test } from 'bun:test';
import { createPairs } from '../../../../agent/logs/line/pairs.ts';

test('a pair has one number, however often it is met, and those of checks have others', () => {
  const pairs = createPairs();
  const met = [
    pairs.ofKey('a.example', 200, false),
    pairs.ofKey('b.example', 200, false),
    pairs.ofKey('a.example', 404, false),
    pairs.ofKey('a.example', 200, true),
  ];
  expect(new Set(met).size).toBe(4);
  expect([
    pairs.ofKey('a.example', 200, false),
    pairs.ofKey('b.example', 200, false),
    pairs.ofKey('a.example', 404, false),
    pairs.ofKey('a.example', 200, true),
  ]).toEqual(met);
  expect(pairs.length).toBe(4);
  expect(pairs.describe(met[2] ?? -1)).toEqual({ domain: 'a.example', status: 404 });
});

test('a list of them makes the same numbers again', () => {
  const first = createPairs();
  const number = first.ofKey('a.example', 200, false);
  const again = createPairs(first.list());
  expect(again.ofKey('a.example', 200, false)).toBe(number);
  expect(again.ofKey('a.example', 500, false)).toBe(1);
});
