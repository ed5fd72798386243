import { describe, expect, test } from 'bun:test';
import { createCache, loadOnce } from '../../src/shared/memoize.ts';

test('what was loaded is kept, and a failure is not', async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads++;
    if (loads === 1) throw new Error('too many files are open');
    return loads;
  });
  expect(await load().catch(() => 'failed')).toBe('failed');
  expect([await load(), await load(), loads]).toEqual([2, 2, 2]);
});

describe('a cache', () => {
  test('forgets what was used least recently, and keeps what was asked for', () => {
    const cache = createCache<number>(8);
    for (let at = 0; at < 8; at++) cache.put(`${at}`, at);
    expect(cache.get('0')).toBe(0);
    cache.put('8', 8);
    expect([cache.get('1'), cache.get('0'), cache.get('8')]).toEqual([undefined, 0, 8]);
    cache.clear();
    expect(cache.get('8')).toBeUndefined();
  });

  test('counts sizes, also of what replaces another, and keeps nothing beside what is too large, nor that', () => {
    const cache = createCache<string>(5, (text) => text.length);
    cache.put('a', 'xxx');
    cache.put('a', 'x');
    cache.put('b', 'xxxx');
    expect([cache.get('a'), cache.get('b')]).toEqual(['x', 'xxxx']);
    cache.put('c', 'xxxxxx');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
